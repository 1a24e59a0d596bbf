package controller

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// DisabledSetting is a setting with which a workload does not handle the finalizer.
type DisabledSetting struct {
	catalog.Setting
	// Container is the container whose environment or command line tells.
	Container string
	// Found says how it is set there, or that it is not.
	Found string
}

// DisabledSettings are the settings with which a workload, the component that removes the finalizer, does not handle it, as far
// as its pod template tells.
func DisabledSettings(w cluster.Workload, c Controller) []DisabledSetting {
	match := c.CatalogMatch
	if len(match.Entries) != 1 || match.OtherType || !isComponent(w, match.Entries[0].Component) {
		return nil
	}
	container, ok := MainContainer(w, match.Entries[0].Component)
	if !ok {
		return nil
	}
	var out []DisabledSetting
	for _, setting := range match.Entries[0].EnabledBy {
		value, state := settingIn(container, setting)
		disabled := DisabledSetting{Setting: setting, Container: container.Name}
		switch {
		case state == settingSet && !setting.Enables(value):
			disabled.Found = fmt.Sprintf("%s is %q", setting, value)
		case state == settingAbsent && setting.Default == catalog.DefaultDisabled:
			disabled.Found = fmt.Sprintf("%s is not set", setting)
		default:
			continue
		}
		out = append(out, disabled)
	}
	return out
}

// MainContainer is the container of a workload in which a component runs: the only one, or one that the catalog names.
func MainContainer(w cluster.Workload, component catalog.Component) (corev1.Container, bool) {
	containers := w.PodTemplate.Spec.Containers
	if len(containers) == 1 {
		return containers[0], true
	}
	i := slices.IndexFunc(containers, func(c corev1.Container) bool { return slices.Contains(component.Containers, c.Name) })
	if i < 0 {
		return corev1.Container{}, false
	}
	return containers[i], true
}

// settingState is what a pod template tells of a setting.
type settingState int

const (
	// settingUnknown may be set where the template does not show it, such as in a ConfigMap or a configuration file.
	settingUnknown settingState = iota
	settingAbsent
	settingSet
)

// settingIn is the value of a setting in a container.
func settingIn(c corev1.Container, s catalog.Setting) (value string, state settingState) {
	flags := slices.Concat(c.Command, c.Args)
	switch {
	case s.Env != "":
		value, state = environmentIn(c, s.Env)
	case len(flags) == 0 || slices.ContainsFunc(flags, isShell):
		return "", settingUnknown
	case s.Gate != "":
		value, state = gateIn(flags, s.Gate)
	default:
		value, state = flagIn(flags, s)
	}
	isElsewhere := state == settingAbsent && s.Env == "" && slices.ContainsFunc(flags, namesConfigurationFile)
	if isElsewhere || state == settingSet && strings.Contains(value, "$(") {
		return "", settingUnknown
	}
	if state == settingSet && len(s.Values) == 0 {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return "", settingUnknown
		}
		value = strconv.FormatBool(on)
	}
	return value, state
}

// gateIn is the value of a feature gate. Others may enable it together with all that are as new.
func gateIn(flags []string, gate string) (value string, state settingState) {
	if on, set := cluster.FeatureGate(flags, gate); set {
		return strconv.FormatBool(on), settingSet
	}
	for _, all := range []string{"AllAlpha", "AllBeta"} {
		if on, _ := cluster.FeatureGate(flags, all); on {
			return "", settingUnknown
		}
	}
	if slices.ContainsFunc(flags, func(word string) bool { return strings.Contains(word, "feature-gates") && strings.Contains(word, "$(") }) {
		return "", settingUnknown
	}
	return "", settingAbsent
}

// environmentIn is the value of an environment variable of a container: the last of several counts.
func environmentIn(c corev1.Container, name string) (value string, state settingState) {
	if len(c.EnvFrom) == 0 {
		state = settingAbsent
	}
	for _, e := range c.Env {
		switch {
		case e.Name != name:
		case e.ValueFrom != nil:
			value, state = "", settingUnknown
		default:
			value, state = e.Value, settingSet
		}
	}
	return value, state
}

// flagIn is the value of a flag: the last of several counts. One without a value is true, unless the setting has other values:
// the next word is one of these then.
func flagIn(flags []string, s catalog.Setting) (value string, state settingState) {
	state = settingAbsent
	for i, flag := range flags {
		name, text, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !strings.HasPrefix(flag, "-") || name != strings.TrimLeft(s.Flag, "-") {
			continue
		}
		value, state = text, settingSet
		switch {
		case hasValue:
		case len(s.Values) > 0 && i+1 < len(flags):
			value = flags[i+1]
		default:
			value = "true"
		}
	}
	return value, state
}

// isShell reports whether a word of a command line is a shell, which reads the others, or is known only when the container runs.
func isShell(word string) bool {
	return strings.HasPrefix(word, "$(") || slices.Contains([]string{"sh", "bash", "ash", "dash"}, path.Base(word))
}

// namesConfigurationFile reports whether a word of a command line is a flag for a file that may hold settings too.
func namesConfigurationFile(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "-") && (name == "c" || strings.Contains(name, "config") && !strings.Contains(name, "kubeconfig"))
}
