{{- define "intaglio.labels" -}}
app.kubernetes.io/name: intaglio
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- /* Pods of jobs must not get requests, so their name differs. */ -}}
{{- define "intaglio.jobLabels" -}}
app.kubernetes.io/name: intaglio-job
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "intaglio.name" -}}
{{ printf "%s-intaglio" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- /* Rows in MySQL and files in S3 leave nothing for a volume. */ -}}
{{- define "intaglio.needsVolume" -}}
{{- if and .Values.persistence.enabled (not (and .Values.database.secretName .Values.files.secretName)) }}true{{ end -}}
{{- end -}}
{{- /* What the service speaks: probes, scrapes and the Ingress have to speak it, too. */ -}}
{{- define "intaglio.scheme" -}}
{{- if or .Values.tls.secretName (index .Values.settings "INTAGLIO_TLS_CERT_FILE") }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}
{{- define "intaglio.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
{{- end -}}
{{- define "intaglio.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}
{{- define "intaglio.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
{{- /* Environment of the service and of the jobs: secrets are files. */ -}}
{{- define "intaglio.env" -}}
{{- if .Values.database.secretName }}
- { name: INTAGLIO_DATABASE_URL_FILE, value: /run/secrets/intaglio/database/url }
{{- end }}
{{- if .Values.files.secretName }}
- { name: INTAGLIO_FILES_URL_FILE, value: /run/secrets/intaglio/files/url }
{{- end }}
{{- if .Values.links.secretName }}
- { name: INTAGLIO_LINK_SECRETS_FILE, value: /run/secrets/intaglio/links/secrets }
{{- end }}
{{- if .Values.encryption.secretName }}
- { name: INTAGLIO_ENCRYPTION_KEYS_FILE, value: /run/secrets/intaglio/encryption/keys }
{{- end }}
{{- if .Values.audit.secretName }}
- { name: INTAGLIO_AUDIT_KEY_FILE, value: /run/secrets/intaglio/audit/key }
{{- end }}
{{- if .Values.oidc.secretName }}
- { name: INTAGLIO_OIDC_CLIENT_SECRET_FILE, value: /run/secrets/intaglio/oidc/client-secret }
{{- end }}
{{- if .Values.tls.secretName }}
- { name: INTAGLIO_TLS_CERT_FILE, value: /run/secrets/intaglio/tls/tls.crt }
- { name: INTAGLIO_TLS_KEY_FILE, value: /run/secrets/intaglio/tls/tls.key }
{{- end }}
{{- if .Values.signers.secretName }}
- { name: INTAGLIO_SIGNERS_FILE, value: /run/secrets/intaglio/signers/signers.json }
{{- end }}
{{- if .Values.fonts.volume }}
- { name: INTAGLIO_FONTS_DIR, value: /fonts }
{{- end }}
{{- if and .Values.ingress.enabled (not (index .Values.settings "INTAGLIO_BASE_URL")) }}
- { name: INTAGLIO_BASE_URL, value: {{ printf "https://%s" .Values.ingress.host | quote }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}
{{- define "intaglio.volumeMounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- range tuple "database" "files" "links" "encryption" "audit" "oidc" "tls" "signers" }}
{{- if (index $.Values .).secretName }}
- { name: {{ . }}, mountPath: {{ printf "/run/secrets/intaglio/%s" . }}, readOnly: true }
{{- end }}
{{- end }}
{{- if .Values.fonts.volume }}
- { name: fonts, mountPath: /fonts, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "intaglio.volumes" -}}
- name: data
  {{- if include "intaglio.needsVolume" . }}
  persistentVolumeClaim: { claimName: {{ include "intaglio.name" . }} }
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: tmp
  emptyDir: {}
{{- range tuple "database" "files" "links" "encryption" "audit" "oidc" "tls" "signers" }}
{{- if (index $.Values .).secretName }}
- { name: {{ . }}, secret: { secretName: {{ (index $.Values .).secretName }}, defaultMode: 0440 } }
{{- end }}
{{- end }}
{{- with .Values.fonts.volume }}
- name: fonts
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
