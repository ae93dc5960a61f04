package offline
import ("testing";"os";"strings")
func TestZZ(t *testing.T){
 b,_:=os.ReadFile(os.Getenv("ZZ"))
 for _,l:=range strings.Split(strings.TrimSpace(string(b)),"\n"){ p:=Understand(l); t.Logf("%s => kind=%v %v %s | %s",l,p.Kind,p.Steps,p.Topic,p.Why()) }
}
