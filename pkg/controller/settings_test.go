package controller_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A setting counts as disabled only where the pod template shows all of its value.
func TestDisabledSettings(t *testing.T) {
	var (
		gate    = catalog.Setting{Gate: "Farms", Default: catalog.DefaultDisabled}
		flag    = catalog.Setting{Flag: "--enable-farms", Default: catalog.DefaultDisabled}
		varying = catalog.Setting{Flag: "--enable-farms"}
		onByDef = catalog.Setting{Flag: "--enable-farms", Default: catalog.DefaultEnabled}
		mode    = catalog.Setting{Flag: "--mode", Values: []string{"full", "cleanup"}, Default: catalog.DefaultEnabled}
		env     = catalog.Setting{Env: "FARMS", Default: catalog.DefaultDisabled}
	)
	command := func(words ...string) corev1.Container { return corev1.Container{Name: "manager", Command: words} }
	fromMap := []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{}}}
	variable := func(v corev1.EnvVar) corev1.Container {
		return corev1.Container{Name: "manager", Env: []corev1.EnvVar{v}}
	}
	for name, test := range map[string]struct {
		container corev1.Container
		setting   catalog.Setting
		found     string
	}{
		"gate on":                     {command("/m", "--feature-gates=Barns=false,Farms=true"), gate, ""},
		"gate off":                    {command("/m", "--feature-gates=Farms=false"), gate, `feature gate Farms is "false"`},
		"gate of another name":        {command("/m", "--feature-gates=AllFarms=true"), gate, "feature gate Farms is not set"},
		"gate in the next word":       {command("/m", "--feature-gates", "Farms=true"), gate, ""},
		"gate, last counts":           {command("/m", "--feature-gates=Farms=true", "--feature-gates=Farms=false"), gate, `feature gate Farms is "false"`},
		"flag alone":                  {command("/m", "--enable-farms"), flag, ""},
		"flag with one dash":          {command("/m", "-enable-farms=T"), flag, ""},
		"flag off":                    {command("/m", "--enable-farms=0"), flag, `flag --enable-farms is "false"`},
		"no flag":                     {command("/m", "--enable-farms-v2"), flag, "flag --enable-farms is not set"},
		"no flag, releases differ":    {command("/m", "--v=2"), varying, ""},
		"no flag, on by default":      {command("/m", "--v=2"), onByDef, ""},
		"flag off, on by default":     {command("/m", "--enable-farms=false"), onByDef, `flag --enable-farms is "false"`},
		"no flag, a file has more":    {command("/m", "--config=/etc/m.yaml"), flag, ""},
		"a kubeconfig is no settings": {command("/m", "--kubeconfig=/etc/k"), flag, "flag --enable-farms is not set"},
		"flag off beside a file":      {command("/m", "--config=/etc/m.yaml", "--enable-farms=false"), flag, `flag --enable-farms is "false"`},
		"a script":                    {command("sh", "-c", "exec /m $FLAGS"), flag, ""},
		"a variable":                  {command("/m", "--enable-farms=$(FARMS)"), flag, ""},
		"the image's own command":     {corev1.Container{Name: "manager"}, flag, ""},
		"a mode that does":            {command("/m", "--mode", "cleanup"), mode, ""},
		"a mode that does not":        {command("/m", "--mode", "read"), mode, `flag --mode is "read"`},
		"variable on":                 {variable(corev1.EnvVar{Name: "FARMS", Value: "true"}), env, ""},
		"variable off":                {variable(corev1.EnvVar{Name: "FARMS", Value: "0"}), env, `environment variable FARMS is "false"`},
		"variable on, in short":       {variable(corev1.EnvVar{Name: "FARMS", Value: "1"}), env, ""},
		"variable of other words":     {variable(corev1.EnvVar{Name: "FARMS", Value: "sometimes"}), env, ""},
		"all gates of an age on":      {command("/m", "--feature-gates=AllAlpha=true"), gate, ""},
		"gates from a variable":       {command("/m", "--feature-gates=$(GATES)"), gate, ""},
		"another flag's variable":     {command("/m", "--address=$(ADDRESS)"), flag, "flag --enable-farms is not set"},
		"no variable":                 {variable(corev1.EnvVar{Name: "BARNS", Value: "true"}), env, "environment variable FARMS is not set"},
		"variable from elsewhere":     {variable(corev1.EnvVar{Name: "FARMS", ValueFrom: &corev1.EnvVarSource{}}), env, ""},
		"variable of variables":       {variable(corev1.EnvVar{Name: "FARMS", Value: "$(ALL)"}), env, ""},
		"variables of a ConfigMap":    {corev1.Container{Name: "manager", EnvFrom: fromMap}, env, ""},
		"two containers, neither is known": {
			corev1.Container{Name: "other"}, env, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := cluster.Workload{Type: stuck.Type{Kind: "Deployment"}, Name: "farm-operator"}
			w.PodTemplate.Spec.Containers = []corev1.Container{test.container}
			if test.container.Name != "manager" {
				w.PodTemplate.Spec.Containers = append(w.PodTemplate.Spec.Containers, corev1.Container{Name: "proxy"})
			}
			component := catalog.Component{Workloads: []string{"deployment/farm-operator"}}
			known := catalog.Match{Entries: []catalog.Entry{{Component: component, EnabledBy: []catalog.Setting{test.setting}}}}
			var found string
			for _, d := range controller.DisabledSettings(w, controller.Controller{CatalogMatch: known}) {
				found = d.Found
			}
			if found != test.found {
				t.Errorf("found %q, want %q", found, test.found)
			}
			w.Name = "another"
			if got := controller.DisabledSettings(w, controller.Controller{CatalogMatch: known}); len(got) > 0 {
				t.Errorf("a workload that is not known to be the component: %v", got)
			}
		})
	}
}
