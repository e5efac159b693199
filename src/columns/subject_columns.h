// Names of columns that identify subjects, such as patients or sensors.

#pragma once

#include <string>

namespace conflux {

/// As in id, pid, patient_id, "patient id", patientId and patientID.
bool names_subjects(const std::string& column);

}  // namespace conflux
