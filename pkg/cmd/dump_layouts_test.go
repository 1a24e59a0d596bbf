package cmd_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// dumpLayouts write what the dump of each tool holds.
var dumpLayouts = map[string]func([]held) map[string]any{
	"objects": func(all []held) map[string]any {
		files := map[string]any{}
		for i, h := range all {
			files[fmt.Sprintf("%d.json", i)] = map[string]any{"apiVersion": "v1", "kind": "List", "items": h.objects}
		}
		return files
	},
	"crust-gather": func(all []held) map[string]any {
		files := map[string]any{}
		for i, h := range all {
			for j, object := range h.objects {
				files[fmt.Sprintf("namespaces/x/v1/%s/%d-%d.yaml", strings.ToLower(h.typ.Kind), i, j)] = object
			}
		}
		return files
	},
	"must-gather": func(all []held) map[string]any {
		files := map[string]any{"cluster-scoped-resources/none/none.yaml": "", "timestamp": ""}
		for _, h := range all {
			group := h.typ.Group
			if group == "" {
				group = "core"
			}
			inAll := slices.Contains(h.typ.Categories, "all") || slices.Contains(mustGatherTypes, h.typ.Resource)
			for _, object := range h.objects {
				switch {
				case h.typ.Resource == "namespaces":
					name := object["metadata"].(map[string]any)["name"].(string)
					files["namespaces/"+name+"/"+name+".yaml"] = object
				case h.namespace == "" && stuck.IsBuiltInGroup(h.typ.Group):
					name := object["metadata"].(map[string]any)["name"].(string)
					files["cluster-scoped-resources/"+group+"/"+h.typ.Resource+"/"+strings.ReplaceAll(name, ":", "_")+".yaml"] = object
				}
			}
			if h.namespace != "" && inAll && h.whole {
				files["namespaces/"+h.namespace+"/"+group+"/"+h.typ.Resource+".yaml"] = answered("List", h.objects)
			}
		}
		return files
	},
	"support-bundle": func(all []held) map[string]any {
		files := map[string]any{"cluster-resources/none.json": "null"}
		for _, h := range all {
			name := supportBundleNames[h.typ.String()]
			if !stuck.IsBuiltInGroup(h.typ.Group) {
				name = "custom-resources/" + h.typ.String()
			}
			if name == "" || !h.whole || strings.HasPrefix(name, "custom-resources/") && len(h.objects) == 0 {
				continue
			}
			if h.namespace != "" {
				name += "/" + h.namespace
			}
			files["cluster-resources/"+name+".json"] = answered(h.typ.Kind+"List", h.objects)
		}
		return files
	},
	"cluster-info": func(all []held) map[string]any {
		files := map[string]any{}
		for _, h := range all {
			file := h.namespace + "/" + h.typ.Resource + ".json"
			if h.typ.Resource == "nodes" {
				file = "nodes.json"
			} else if h.namespace == "" || !slices.Contains([]string{"pods", "services", "events", "daemonsets", "deployments", "replicasets"}, h.typ.Resource) {
				continue
			}
			if h.namespace != "" {
				files[h.namespace+"/replication-controllers.json"] = answered("ReplicationControllerList", nil)
			}
			if h.whole {
				files[file] = answered(h.typ.Kind+"List", h.objects)
			}
		}
		return files
	},
	"sonobuoy": func(all []held) map[string]any {
		files := map[string]any{"meta/config.json": map[string]any{"Filters": map[string]string{"LabelSelector": ""}}}
		for _, h := range all {
			group, folder := h.typ.Group, "resources/cluster/"
			if group == "" {
				group = "core"
			}
			if h.namespace != "" {
				folder = "resources/ns/" + h.namespace + "/"
			}
			if h.whole && len(h.objects) > 0 && h.typ.Resource != "secrets" {
				files[folder+group+"_"+h.typ.Version+"_"+h.typ.Resource+".json"] = answered("List", h.objects)
			}
		}
		return files
	},
}

// answered is a list as an API server answers it.
func answered(kind string, objects []map[string]any) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]string{"resourceVersion": "1"}, "items": objects}
}

// mustGatherTypes are those that oc adm inspect takes of a namespace besides the category "all".
var mustGatherTypes = []string{
	"pods", "configmaps", "events", "endpoints", "endpointslices", "networkpolicies", "persistentvolumeclaims", "poddisruptionbudgets", "secrets", "ingresses",
}

// supportBundleNames are the files of a support bundle.
var supportBundleNames = map[string]string{
	"namespaces": "namespaces", "nodes": "nodes", "persistentvolumes": "pvs", "volumeattachments.storage.k8s.io": "volumeattachments", "pods": "pods",
	"services": "services", "deployments.apps": "deployments", "statefulsets.apps": "statefulsets", "daemonsets.apps": "daemonsets",
	"replicasets.apps": "replicasets", "jobs.batch": "jobs", "persistentvolumeclaims": "pvcs", "events": "events", "configmaps": "configmaps",
	"serviceaccounts": "serviceaccounts", "leases.coordination.k8s.io": "leases", "endpointslices.discovery.k8s.io": "endpointslices",
	"roles.rbac.authorization.k8s.io": "roles", "rolebindings.rbac.authorization.k8s.io": "rolebindings",
	"clusterroles.rbac.authorization.k8s.io": "clusterroles", "clusterrolebindings.rbac.authorization.k8s.io": "clusterrolebindings",
	"customresourcedefinitions.apiextensions.k8s.io":               "custom-resource-definitions",
	"validatingwebhookconfigurations.admissionregistration.k8s.io": "validating-webhook-configurations",
	"mutatingwebhookconfigurations.admissionregistration.k8s.io":   "mutating-webhook-configurations",
}
