// SPDX-License-Identifier: Apache-2.0
// Answers /ping and /upload with Go's net/http.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

func ping(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Content-Type", "text/plain")
	io.WriteString(response, "pong")
}

func upload(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, "no body", http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(response, `{"bytes":%d,"sha256":"%x"}`, len(body), sha256.Sum256(body))
}

func main() {
	http.HandleFunc("/ping", ping)
	http.HandleFunc("/upload", upload)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
