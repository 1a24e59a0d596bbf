package report

// Version is the document of version. Its fields are named as in kubectl version.
type Version struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Client     ClientVersion `json:"clientVersion"`
	// Server is the Kubernetes version of the API server. It is left out with --client, and if it could not be read.
	Server string `json:"serverVersion,omitempty"`
}

// ClientVersion says which build of the plugin this is. What the build does not know is left out.
type ClientVersion struct {
	// Version is the version of the plugin.
	Version string `json:"version"`
	// Commit is the hash of the git commit that was built, and Date the time of that commit.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
	// Modified says that the source differed from the commit.
	Modified bool `json:"modified,omitempty"`
	// GoVersion is the version of Go that built the plugin.
	GoVersion string `json:"goVersion"`
	// ClientGoVersion is the version of k8s.io/client-go, with which the plugin sends its requests.
	ClientGoVersion string `json:"clientGoVersion,omitempty"`
	// Platform is the operating system and the architecture, such as linux/amd64.
	Platform string `json:"platform"`
}

// NewVersion is the document of a build, and of an API server whose version was read, or "".
func NewVersion(client ClientVersion, server string) Version {
	return Version{APIVersion: APIVersion, Kind: "Version", Client: client, Server: server}
}
