package diagnose

// ControllerAbsentCauses are the causes in which a controller is absent, for tests.
var ControllerAbsentCauses = controllerAbsentCauses
