{{- define "intaglio.labels" -}}
app.kubernetes.io/name: intaglio
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "intaglio.name" -}}
{{ printf "%s-intaglio" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- /* Rows in MySQL and files in S3 leave nothing for a volume. */ -}}
{{- define "intaglio.needsVolume" -}}
{{- if and .Values.persistence.enabled (not (and .Values.database.secretName .Values.files.secretName)) }}true{{ end -}}
{{- end -}}
