package diagnose

// ControllerAbsentCauses are the causes in which a controller is absent, for tests.
var ControllerAbsentCauses = controllerAbsentCauses

// NeedsControllerNext reports whether a finding is followed by work of the controller, for tests.
var NeedsControllerNext = needsControllerNext
