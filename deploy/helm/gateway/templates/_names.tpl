{{- define "gateway.name" -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "gateway.labels" -}}
app.kubernetes.io/name: gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "gateway.scheme" -}}
{{- if .Values.config.server.tls }}HTTPS{{ else }}HTTP{{ end -}}
{{- end }}

{{- define "gateway.graceSeconds" -}}
{{ add (div (add .Values.config.server.drain_delay_ms .Values.config.server.shutdown_grace_ms) 1000) 10 }}
{{- end }}
