// Floor does the minimal work for one question: two HTTP requests to the model and one df between them. The
// benchmarks compare the program with it in the same run on the same machine.
//
//	floor URL                 does it once, in its own process
//	floor -serve SOCKET URL   does it for every line on a Unix socket
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "-serve" {
		check(serve(os.Args[2], os.Args[3]))
		return
	}
	answer, err := once(os.Args[1])
	check(err)
	fmt.Println(answer)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// once asks, runs df, and asks again with its output.
func once(url string) (string, error) {
	if _, err := post(url, `{"model":"m","messages":[{"role":"user","content":"disk full?"}]}`); err != nil {
		return "", err
	}
	out, err := exec.Command("/usr/bin/df", "-h").Output()
	if err != nil {
		return "", err
	}
	return post(url, fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"disk full?"},{"role":"tool","tool_call_id":"t1","content":%q}]}`, out))
}

func post(url, body string) (string, error) {
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

func serve(socket, url string) error {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go answerLines(c, url)
	}
}

func answerLines(c net.Conn, url string) {
	defer c.Close()
	for sc := bufio.NewScanner(c); sc.Scan(); {
		answer, err := once(url)
		if err != nil {
			answer = err.Error()
		}
		if _, err := fmt.Fprintf(c, "%q\n", answer); err != nil {
			return
		}
	}
}
