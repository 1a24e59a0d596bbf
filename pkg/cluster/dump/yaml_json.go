package dump

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxDepth is how deep the values of a document may be nested.
const maxDepth = 500

// yamlToJSON is one YAML document as JSON, nothing where it has no content. Aliases are refused:
// no program writes them into a dump, and a short text can stand for gigabytes with them.
func yamlToJSON(text []byte) ([]byte, error) { return yamlToBuffer(&bytes.Buffer{}, text) }

// yamlToBuffer writes the JSON into a buffer where it can, and returns it.
func yamlToBuffer(out *bytes.Buffer, text []byte) ([]byte, error) {
	if err := checkValues(text); err != nil {
		return nil, err
	}
	if out.Reset(); blockToJSON(out, text) {
		return out.Bytes(), nil
	}
	return parsedToJSON(text)
}

// parsedToJSON is any YAML document as JSON.
func parsedToJSON(text []byte) ([]byte, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	if node.Kind == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	if err := writeNode(&out, &node, 0); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeNode(out *bytes.Buffer, node *yaml.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: values are nested deeper than %d", node.Line, maxDepth)
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return writeNode(out, node.Content[0], depth+1)
	case yaml.AliasNode:
		return fmt.Errorf("line %d: it has a YAML alias, which no dump has", node.Line)
	case yaml.SequenceNode:
		for i, each := range node.Content {
			out.WriteByte("[,"[min(i, 1)])
			if err := writeNode(out, each, depth+1); err != nil {
				return err
			}
		}
		if len(node.Content) == 0 {
			out.WriteByte('[')
		}
		out.WriteByte(']')
		return nil
	case yaml.MappingNode:
		return writeMapping(out, node, depth)
	}
	return writeScalar(out, node)
}

func writeMapping(out *bytes.Buffer, node *yaml.Node, depth int) error {
	out.WriteByte('{')
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || seen[key.Value] {
			return fmt.Errorf("line %d: a key is no text, or is there twice", key.Line)
		}
		seen[key.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		writeText(out, key.Value)
		out.WriteByte(':')
		if err := writeNode(out, node.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}
