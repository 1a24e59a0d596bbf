package cause

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerProvisioner is the finalizer of every external provisioner, whatever its driver
// (kubernetes-sigs/sig-storage-lib-external-provisioner/controller/controller.go, v13.0.0).
const finalizerProvisioner = "external-provisioner.volume.kubernetes.io/finalizer"

// VolumeNotDeleted is a released PersistentVolume whose provisioner has not deleted the
// volume in the storage system.
var VolumeNotDeleted = kit.Cause{
	ID:    "volume-not-deleted",
	Title: "The provisioner has not deleted the volume in the storage system",
	Doc: kit.Doc{
		Symptoms: "A PersistentVolume in phase Released has the finalizer `external-provisioner.volume.kubernetes.io/finalizer`. There may be Warning events `VolumeFailedDelete` on it.",
		Why:      "The provisioner of the driver removes the finalizer after it has deleted the volume in the storage system. The storage system rejects the deletion (snapshots or clones exist, the volume is attached, the credentials are missing), the driver was uninstalled, or the reclaim policy was changed to Retain: the provisioner deletes only volumes with reclaim policy Delete.",
		Fix:      "Fix what the event reports: the provisioner retries. If the driver was uninstalled, reinstall it. To keep the data with reclaim policy Retain, note the volumeHandle and remove the finalizer by force.",
		IfForced: "The disk or share is left behind in the storage system, and nothing in the cluster refers to it.",
	},
	Applies: kit.DeletingWith(finalizerProvisioner),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		volume, ok := cluster.ReadObject[corev1.PersistentVolume](view, o)
		if !ok || volume.Status.Phase != corev1.VolumeReleased || volume.Spec.CSI == nil {
			return nil
		}
		driver, policy := volume.Spec.CSI.Driver, volume.Spec.PersistentVolumeReclaimPolicy
		f := stuck.Finding{
			BlockedBy: stuck.Culprit{Kind: "CSIDriver", Name: driver},
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerProvisioner},
			Evidence:  kit.WarningEvents(view, o, time.Time{}, "VolumeFailedDelete"),
			OnForce:   stuck.Cost{Leaves: stuck.LeakExternal, Description: fmt.Sprintf("volume %s is left behind in the storage system of driver %s", stuck.EscapeLine(volume.Spec.CSI.VolumeHandle), driver)},
		}
		switch {
		case policy != corev1.PersistentVolumeReclaimDelete:
			f.BlockedBy = o.Culprit()
			f.Message = fmt.Sprintf("the reclaim policy is %s, and the provisioner deletes only volumes with policy Delete", policy)
			f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "let the provisioner delete the volume and its data, only if nobody needs the data", Command: stuck.Shellf(`kubectl patch persistentvolume %s --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`, o.Name)}}
		case view.IsCSIDriverUninstalled(driver):
			f.Message = fmt.Sprintf("driver %s, which should delete the volume, is not installed", driver)
			f.Evidence = append([]string{fmt.Sprintf("csidriver/%s does not exist, and no node has registered the driver", driver)}, f.Evidence...)
			f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("reinstall driver %s in the same version, and let it delete the volume", driver)}}
		case len(f.Evidence) > 0:
			f.Message = fmt.Sprintf("driver %s fails to delete the volume in the storage system", driver)
			f.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "see the events, and fix what they report: the provisioner then retries", Command: stuck.Shellf("kubectl describe persistentvolume %s", o.Name)}}
		default:
			return nil // whether its provisioner runs is for the causes of controllers
		}
		f.Evidence = append(f.Evidence, fmt.Sprintf("the volume is %s; its reclaim policy is %s", volume.Status.Phase, policy))
		return []stuck.Finding{f}
	},
}
