// Floor does the minimal work of an agent for one question: it asks the model, runs df in a shell, and asks again with the
// output. It encodes and decodes JSON, streams and stores nothing. The benchmarks compare the program with it in the same
// run on the same machine.
//
//	floor URL                 does it once, in its own process
//	floor -serve SOCKET URL   does it for every line on a Unix socket
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
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

type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// tools is the one tool that is offered.
var tools = json.RawMessage(`[{"type":"function","function":{"name":"exec","description":"Run a command",` +
	`"parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]`)

// once asks, runs df, and asks again with its output.
func once(url string) (string, error) {
	said := []message{{Role: "system", Content: "You are a helper."}, {Role: "user", Content: "disk full?"}}
	if _, err := post(url, said); err != nil {
		return "", err
	}
	out, err := exec.Command("sh", "-c", "df -h").Output()
	if err != nil {
		return "", err
	}
	return post(url, append(said, message{Role: "tool", Content: string(out), ToolCallID: "t1"}))
}

// post sends a request and returns the text of the answer.
func post(url string, said []message) (string, error) {
	body, err := json.Marshal(map[string]any{"model": "m", "messages": said, "tools": tools})
	if err != nil {
		return "", err
	}
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Choices) != 1 {
		return "", fmt.Errorf("unexpected answer: %v, %v", answer, err)
	}
	return answer.Choices[0].Message.Content, nil
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
