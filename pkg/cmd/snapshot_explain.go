package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
)

// maxExplained is how many objects are explained for their answers to be in the snapshot. Of the
// others it has what the list read of them.
const maxExplained = 50

// explainEach explains the objects of a list, and returns those that were not explained. An object that cannot be read is no reason
// to do without the others: the error is kept in the snapshot, as what was read before it.
func (o *snapshotOptions) explainEach(ctx context.Context, recorder *snapshot.Recorder, document string) (unexplained unexplained, err error) {
	targets, left, err := explainedTargets(document)
	if err != nil {
		return unexplained, err
	}
	unexplained.left = left
	for _, target := range targets {
		_, err := o.run(ctx, recorder, Program.newExplain, target.namespace, "-o", "json", "--ignore-not-found", target.name)
		if ctx.Err() != nil {
			return unexplained, err
		}
		if err != nil {
			unexplained.failed++
			unexplained.err = cmp.Or(unexplained.err, err)
		}
	}
	return unexplained, nil
}

// unexplained says of how many listed objects the snapshot has no explanation.
type unexplained struct {
	left, failed int
	// err is why the first of those that failed did.
	err error
}

// explainedTarget is an object to explain.
type explainedTarget struct{ namespace, name string }

// explainedTargets are the objects of a list to explain, and how many have to be left out.
func explainedTargets(document string) (targets []explainedTarget, left int, err error) {
	var list struct {
		Items []struct {
			APIVersion, Resource string
			Metadata             struct{ Namespace, Name string }
		}
	}
	if err := json.Unmarshal([]byte(document), &list); err != nil {
		return nil, 0, err
	}
	for _, item := range list.Items[:min(len(list.Items), maxExplained)] {
		resource := item.Resource
		if group, _, ok := strings.Cut(item.APIVersion, "/"); ok {
			resource += "." + group
		}
		targets = append(targets, explainedTarget{item.Metadata.Namespace, resource + "/" + item.Metadata.Name})
	}
	return targets, len(list.Items) - len(targets), nil
}
