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
	if s.Env != "" {
		return environmentIn(c, s.Env)
	}
	flags := slices.Concat(c.Command, c.Args)
	if len(flags) == 0 || slices.ContainsFunc(flags, isComputed) {
		return "", settingUnknown
	}
	if s.Gate != "" {
		on, set := cluster.FeatureGate(flags, s.Gate)
		value, state = strconv.FormatBool(on), settingSet
		if !set {
			state = settingAbsent
		}
	} else {
		value, state = flagIn(flags, s)
	}
	if state == settingAbsent && slices.ContainsFunc(flags, namesConfigurationFile) {
		return "", settingUnknown
	}
	return value, state
}

// environmentIn is the value of an environment variable of a container.
func environmentIn(c corev1.Container, name string) (value string, state settingState) {
	i := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name })
	switch {
	case i >= 0 && (c.Env[i].ValueFrom != nil || isComputed(c.Env[i].Value)), i < 0 && len(c.EnvFrom) > 0:
		return "", settingUnknown
	case i < 0:
		return "", settingAbsent
	}
	return c.Env[i].Value, settingSet
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
		if on, err := strconv.ParseBool(value); err == nil && len(s.Values) == 0 {
			value = strconv.FormatBool(on)
		}
	}
	return value, state
}

// isComputed reports whether a word of a command line, or a value, is known only when the container runs: it refers to a
// variable, or a shell reads it.
func isComputed(word string) bool {
	return strings.Contains(word, "$(") || strings.Contains(word, "${") || slices.Contains([]string{"sh", "bash", "ash", "dash"}, path.Base(word))
}

// namesConfigurationFile reports whether a word of a command line is a flag for a file that may hold settings too.
func namesConfigurationFile(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "-") && (name == "c" || strings.Contains(name, "config") && !strings.Contains(name, "kubeconfig"))
}
