{{- define "audit-activity.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "audit-activity.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "audit-activity.labels" -}}
{{ include "audit-activity.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "audit-activity.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default (.Chart.AppVersion | replace "+" "-") }}{{ end }}
{{- end }}

{{- define "audit-activity.credentials" -}}
{{ .Values.credentials.existingSecret | default (printf "%s-credentials" (include "audit-activity.name" .)) }}
{{- end }}

{{- define "audit-activity.keys" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" (include "audit-activity.name" .)) }}
{{- end }}

{{/* The restrictions of both pods: no root, no rights, and only volumes to write to. */}}
{{- define "audit-activity.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "audit-activity.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Certificates of the operator's own CAs; empty if there are none. */}}
{{- define "audit-activity.certificatesMount" -}}
{{- if (.Values.certificates).existingConfigMap -}}
- { name: certificates, mountPath: /etc/audit-activity/certificates, readOnly: true }
{{- end }}
{{- end }}

{{- define "audit-activity.certificatesVolume" -}}
{{- with (.Values.certificates).existingConfigMap -}}
- name: certificates
  configMap: { name: {{ . | quote }} }
{{- end }}
{{- end }}

{{/* What the existing secrets and certificates hold now; nothing where helm has no cluster to ask, as in `helm template`. */}}
{{- define "audit-activity.existing" -}}
{{- range list .Values.credentials.existingSecret .Values.keys.existingSecret }}
{{- with . }}{{ (lookup "v1" "Secret" $.Release.Namespace .).data | toJson }}{{ end }}
{{- end }}
{{- with (.Values.certificates).existingConfigMap }}{{ (lookup "v1" "ConfigMap" $.Release.Namespace .).data | toJson }}{{ end }}
{{- end }}
