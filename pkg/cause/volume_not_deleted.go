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
		Why:      "The provisioner of the driver removes the finalizer after it has deleted the volume in the storage system. The storage system rejects the deletion (snapshots or clones exist, the volume is attached, the credentials are missing), or the driver was uninstalled. With reclaim policy Retain, a provisioner that runs removes the finalizer at once and keeps the volume: if the finalizer remains, the provisioner does not run, or may not patch PersistentVolumes.",
		Fix:      "Fix what the event reports: the provisioner retries. If the driver was uninstalled, reinstall it. To keep the data without the driver, set the reclaim policy to Retain, note the volumeHandle, and remove the finalizer by force.",
		IfForced: "The disk or share is left behind in the storage system, and nothing in the cluster refers to it.",
	},
	ControllerNext: true,
	Applies:        kit.DeletingWith(finalizerProvisioner),
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
		switch kept := policy != corev1.PersistentVolumeReclaimDelete; {
		case view.IsCSIDriverUninstalled(driver):
			uninstalledDriver(&f, driver, kept)
		case kept:
			volumeNotFreed(&f, o, driver, policy)
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

// uninstalledDriver is that the software of a volume was uninstalled.
func uninstalledDriver(f *stuck.Finding, driver string, kept bool) {
	task := "delete the volume"
	if kept {
		task = "remove the finalizer"
	}
	f.Message = fmt.Sprintf("driver %s, which should %s, is not installed", driver, task)
	f.Evidence = append([]string{fmt.Sprintf("csidriver/%s does not exist, and no node has registered the driver", driver)}, f.Evidence...)
	f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("reinstall driver %s in the same version, and let it %s", driver, task)}}
}

// volumeNotFreed is that a provisioner has not done what takes it a moment: of a volume that is to be kept it removes the
// finalizer, and nothing else (handleProtectionFinalizer in
// kubernetes-sigs/sig-storage-lib-external-provisioner/controller/controller.go, v13.0.0).
func volumeNotFreed(f *stuck.Finding, o stuck.Object, driver string, policy corev1.PersistentVolumeReclaimPolicy) {
	f.Message = fmt.Sprintf("the provisioner of driver %s has not removed the finalizer, although the reclaim policy is %s", driver, policy)
	f.Evidence = append(f.Evidence, fmt.Sprintf("a provisioner that runs removes the finalizer at once when the policy is %s, and keeps the volume", policy))
	f.Steps = []stuck.Step{
		{
			Action: stuck.ActionCheck, Description: "find the provisioner of the driver, and read its log",
			Command: "kubectl get pods -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,PHASE:.status.phase,CONTAINERS:.spec.containers[*].name | grep csi-provisioner",
		},
		{Action: stuck.ActionChange, Description: "start the provisioner again; if its log says forbidden, allow its ServiceAccount to patch persistentvolumes"},
		kit.ForceStep(o, "remove the finalizer, only if the driver was uninstalled; the volume is kept in the storage system", []string{finalizerProvisioner}, "--accept-leaks"),
	}
}
