package dump

import (
	"errors"
	"slices"
)

// A backup of Velero holds resources/<resource.group>/{cluster,namespaces}/..., and the version of
// its format.

func veleroRoots(l *loader) []string {
	if slices.Contains(l.rootsBefore(func(parts []string) int {
		i := slices.Index(parts, "resources")
		if i >= 0 && len(parts) > i+3 && (parts[i+2] == "cluster" || parts[i+2] == "namespaces") {
			return i
		}
		return -1
	}), "") {
		return []string{""}
	}
	return nil
}

// refuseVelero says why a backup is no dump (vmware-tanzu/velero, pkg/backup/item_backupper.go).
func refuseVelero(*loader, dumpFiles) (content, error) {
	return content{}, errors.New("it is a backup of Velero, which leaves out objects that are being deleted: nothing in it is stuck; " +
		"ask for kubectl finalizers snapshot, or for another dump")
}
