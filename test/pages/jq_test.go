package pages

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/itchyny/gojq"
)

// jq is jq -r FILTER [FILE].
func jq(args []string) int {
	if err := runFilter(args); err != nil {
		fmt.Fprintln(os.Stderr, "jq:", err)
		return 5
	}
	return 0
}

func runFilter(args []string) error {
	if len(args) < 2 || args[0] != "-r" {
		return fmt.Errorf("the arguments are %q, not -r FILTER [FILE]", args)
	}
	filter, err := gojq.Parse(args[1])
	if err != nil {
		return err
	}
	var input io.Reader = os.Stdin
	if len(args) > 2 {
		file, err := os.Open(args[2])
		if err != nil {
			return err
		}
		defer file.Close()
		input = file
	}
	var document any
	if err := json.NewDecoder(input).Decode(&document); err != nil {
		return err
	}
	results := filter.Run(document)
	for result, ok := results.Next(); ok; result, ok = results.Next() {
		if err, failed := result.(error); failed {
			return err
		}
		if text, isText := result.(string); isText {
			fmt.Println(text)
			continue
		}
		text, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return nil
}
