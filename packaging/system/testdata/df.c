/* A df for a system with nothing else: linked with musl's loader by TestOnMusl. */
#include <stdio.h>
int main(void) {
	puts("Filesystem     Type  Size  Used Avail Use% Mounted on");
	puts("/dev/vda       ext4  100G   73G   27G  73% /");
	return 0;
}
