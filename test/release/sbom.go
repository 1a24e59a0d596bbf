package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

const homepage = "https://github.com/kubectl-finalizers/kubectl-finalizers"

// writeSBOM writes what a program contains, by what Go wrote into it. The same program has the same document.
func writeSBOM(binary, target string) error {
	content, err := os.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("reading the program: %w", err)
	}
	build, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("reading what %s was built from: %w", binary, err)
	}
	licenses, err := recordedLicenses()
	if err != nil {
		return err
	}
	document, err := newDocument(filepath.Base(target), fmt.Sprintf("%x", sha256.Sum256(content)), build, licenses)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := spdxjson.Write(document, &text, spdxjson.Indent("  ")); err != nil {
		return fmt.Errorf("writing the SPDX document: %w", err)
	}
	if err := os.WriteFile(target, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the SPDX document: %w", err)
	}
	return nil
}

func newDocument(name, sum string, build *debug.BuildInfo, licenses map[string]string) (*spdx.Document, error) {
	created := setting(build, "vcs.time")
	if created == "" {
		return nil, fmt.Errorf("%s: the program does not name its commit: build it with -buildvcs=true", name)
	}
	main := newPackage(&build.Main, "Apache-2.0")
	main.PrimaryPackagePurpose = "APPLICATION"
	main.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: sum}}
	main.PackageSourceInfo = fmt.Sprintf("built from commit %s with %s for %s/%s", setting(build, "vcs.revision"), build.GoVersion, setting(build, "GOOS"), setting(build, "GOARCH"))
	document := &spdx.Document{
		SPDXVersion:       spdx.Version,
		DataLicense:       spdx.DataLicense,
		SPDXIdentifier:    "DOCUMENT",
		DocumentName:      name,
		DocumentNamespace: homepage + "/spdx/" + sum,
		CreationInfo:      &spdx.CreationInfo{Created: created, Creators: []common.Creator{{CreatorType: "Tool", Creator: "kubectl-finalizers-release"}}},
		Packages:          []*spdx.Package{main},
		Relationships:     []*spdx.Relationship{relate("DOCUMENT", common.TypeRelationshipDescribe, main.PackageSPDXIdentifier)},
	}
	modules := append([]*debug.Module{{Path: "stdlib", Version: build.GoVersion}}, build.Deps...)
	licenses["stdlib"] = "BSD-3-Clause"
	for _, module := range modules {
		if licenses[module.Path] == "" {
			return nil, fmt.Errorf("licenses.yaml does not list %s", module.Path)
		}
		part := newPackage(module, licenses[module.Path])
		document.Packages = append(document.Packages, part)
		document.Relationships = append(document.Relationships, relate(main.PackageSPDXIdentifier, common.TypeRelationshipContains, part.PackageSPDXIdentifier))
	}
	return document, nil
}

// forbidden matches what an SPDX identifier must not contain.
var forbidden = regexp.MustCompile(`[^A-Za-z0-9.-]`)

func newPackage(module *debug.Module, license string) *spdx.Package {
	return &spdx.Package{
		PackageName:             module.Path,
		PackageSPDXIdentifier:   common.ElementID("Package-" + forbidden.ReplaceAllString(module.Path, "-")),
		PackageVersion:          module.Version,
		PackageDownloadLocation: "NOASSERTION",
		PackageLicenseConcluded: license,
		PackageLicenseDeclared:  license,
		PackageCopyrightText:    "NOASSERTION",
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager,
			RefType:  common.TypePackageManagerPURL,
			Locator:  "pkg:golang/" + module.Path + "@" + module.Version,
		}},
	}
}

func relate(from common.ElementID, kind string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to)), Relationship: kind}
}

func setting(build *debug.BuildInfo, key string) string {
	for _, each := range build.Settings {
		if each.Key == key {
			return each.Value
		}
	}
	return ""
}
