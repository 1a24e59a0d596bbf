package cmd

import (
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// addVerbosity adds kubectl's flag for the log level, and returns its value.
func addVerbosity(root *cobra.Command) *int {
	return root.PersistentFlags().IntP("v", "v", 0, "number for the log level verbosity")
}

// setVerbosity lets Kubernetes' libraries log to standard error, from 6 on each request. At level 0 they log nothing: what
// they have to say of a request is in its error.
func (p Program) setVerbosity(c *cobra.Command, verbosity int) error {
	if verbosity <= 0 {
		return nil
	}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(verbosity), textlogger.Output(p.Streams.ErrOut)))
	c.SetContext(klog.NewContext(c.Context(), logger))
	// Whether a client logs its requests follows from klog's own level, where it is made.
	klog.SetLogger(logger)
	var level klog.Level
	return level.Set(strconv.Itoa(verbosity))
}
