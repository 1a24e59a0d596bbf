package preflight

import "k8s.io/apimachinery/pkg/runtime"

// migratedDrivers are the CSI drivers that serve the volumes of other sources, by the field of the source
// (k8s.io/csi-translation-lib/plugins).
var migratedDrivers = map[string]string{
	"awsElasticBlockStore": "ebs.csi.aws.com",
	"azureDisk":            "disk.csi.azure.com",
	"azureFile":            "file.csi.azure.com",
	"cinder":               "cinder.csi.openstack.org",
	"gcePersistentDisk":    "pd.csi.storage.gke.io",
	"portworxVolume":       "pxd.portworx.com",
	"vsphereVolume":        "csi.vsphere.vmware.com",
}

// migratedDriver is the CSI driver of a volume whose source is none of CSI, empty where there is none.
func migratedDriver(source any) string {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(source)
	if err != nil {
		return ""
	}
	for field := range fields {
		if driver := migratedDrivers[field]; driver != "" {
			return driver
		}
	}
	return ""
}
