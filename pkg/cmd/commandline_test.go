package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommandAgain(t *testing.T) {
	var got string
	root := &cobra.Command{Use: "kubectl-finalizers", Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl finalizers"}}
	root.PersistentFlags().StringP("namespace", "n", "", "")
	root.PersistentFlags().String("token", "", "")
	c := &cobra.Command{Use: "force-remove", Run: func(c *cobra.Command, args []string) { got = newGivenCommand(c, args).with("--confirm", "t") }}
	c.Flags().StringArray("finalizer", nil, "")
	c.Flags().Bool("accept-leaks", false, "")
	c.Flags().Bool("wait", true, "")
	c.Flags().String("dry-run", "", "")
	root.AddCommand(c)
	root.SetArgs([]string{"force-remove", "ns/shop", "a b", "-n", "it's", "--finalizer", "x/a", "--finalizer=x/b", "--accept-leaks", "--wait=false", "--dry-run=server", "--token", "t"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	want := `kubectl finalizers force-remove ns/shop 'a b' --accept-leaks --finalizer=x/a --finalizer=x/b --namespace='it'\''s' --wait=false --confirm t`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	root.SetArgs([]string{"force-remove", "--wait=false", "--", "role", "--all", "a\nb"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := `kubectl finalizers force-remove role 'a\u000ab' `; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " --confirm t -- --all") {
		t.Errorf("a name became a flag or a line: %s", got)
	}
}

// TestRestoreCommand holds that what force-remove says restores is sent to the same cluster as the same user.
func TestRestoreCommand(t *testing.T) {
	var got string
	root := &cobra.Command{Use: "kubectl-finalizers", Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl finalizers"}}
	root.PersistentFlags().StringP("namespace", "n", "", "")
	root.PersistentFlags().String("context", "", "")
	root.PersistentFlags().String("as", "", "")
	root.PersistentFlags().String("token", "", "")
	c := &cobra.Command{Use: "force-remove", Run: func(c *cobra.Command, _ []string) { got = restoreCommand(c) }}
	c.Flags().Bool("yes", false, "")
	root.AddCommand(c)
	root.SetArgs([]string{"force-remove", "ns/shop", "-n", "shop", "--context", "my prod", "--yes", "--token", "t"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := "kubectl finalizers restore --context='my prod'"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
