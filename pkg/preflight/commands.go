package preflight

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Commands are the kubectl commands that delete the objects of a stage and wait for them. whole
// are the Namespaces and CustomResourceDefinitions that are deleted in the end: of these, many
// objects of a type are named by the type alone.
func (s Stage) Commands(whole []stuck.Object) []string {
	var out []string
	for _, group := range s.groups(whole) {
		if !s.hasToWait() {
			out = append(out, stuck.Command("", slices.Concat([]string{"delete"}, group.deleteArgs)...))
			continue
		}
		out = append(out,
			stuck.Command("", slices.Concat([]string{"delete"}, group.deleteArgs, []string{"--wait=false"})...),
			stuck.Command("", slices.Concat([]string{"finalizers", "wait"}, group.waitArgs)...))
	}
	return out
}

// EarlyDefinitions are the CustomResourceDefinitions that are deleted in place of their objects.
func (s Stage) EarlyDefinitions() []stuck.Object {
	if s.Name == StageDefinitions {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Delete), func(o stuck.Object) bool { return !isDefinition(o) })
}

// hasToWait reports whether objects of the stage have finalizers: kubectl delete says nothing
// of what it waits for.
func (s Stage) hasToWait() bool {
	return slices.ContainsFunc(s.WaitFor, func(o stuck.Object) bool { return len(o.Finalizers) > 0 || o.IsNamespace() })
}

// commandGroup is what one command names.
type commandGroup struct{ deleteArgs, waitArgs []string }

// groups are the objects of a namespace by name, and of a type with many objects by the type.
func (s Stage) groups(whole []stuck.Object) []commandGroup {
	var out []commandGroup
	for _, objects := range stuck.GroupBy(s.Delete, func(o stuck.Object) string { return o.Namespace }) {
		namespace := objects[0].Namespace
		group := commandGroup{}
		for _, sameType := range stuck.GroupBy(objects, func(o stuck.Object) stuck.ObjectKey { return stuck.Object{Type: o.Type}.Key() }) {
			if len(sameType) > stuck.MaxUngrouped && isWhole(sameType[0], whole) {
				args := []string{sameType[0].Type.String()}
				out = append(out, commandGroup{
					deleteArgs: slices.Concat(args, []string{"--all"}, namespaceArgs(namespace)), waitArgs: slices.Concat(args, namespaceArgs(namespace)),
				})
				continue
			}
			for _, o := range sameType {
				group.deleteArgs = append(group.deleteArgs, o.Ref())
			}
		}
		for _, o := range s.WaitFor {
			isNamed := !slices.ContainsFunc(out, func(g commandGroup) bool { return len(g.waitArgs) > 0 && g.waitArgs[0] == o.Type.String() })
			if o.Namespace == namespace && isNamed {
				group.waitArgs = append(group.waitArgs, o.Ref())
			}
		}
		if len(group.deleteArgs) > 0 {
			group.deleteArgs, group.waitArgs = append(group.deleteArgs, namespaceArgs(namespace)...), append(group.waitArgs, namespaceArgs(namespace)...)
			out = append(out, group)
		}
	}
	return out
}

func namespaceArgs(namespace string) []string {
	if namespace == "" {
		return nil
	}
	return []string{"-n", namespace}
}

// isWhole reports whether all objects of a type in a namespace are deleted.
func isWhole(o stuck.Object, whole []stuck.Object) bool {
	return slices.ContainsFunc(whole, func(w stuck.Object) bool {
		return w.IsNamespace() && w.Name == o.Namespace || !w.IsNamespace() && w.Name == o.Type.String()
	})
}

// Text says what the objects of the stage are.
func (n StageName) Text() string {
	return map[StageName]string{
		StageFinalizers:           "what controllers have to finish, while they run",
		StageAdmission:            "webhooks, policies and APIServices, before what is behind them",
		StageWorkloads:            "workloads",
		StageNamespaced:           "what workloads use",
		StageNamespaces:           "namespaces",
		StageControllerNamespaces: "namespaces of controllers",
		StageCluster:              "objects of the cluster",
		StageDefinitions:          "custom resource definitions, last",
	}[n]
}
