/** The pages of the site in the order of its navigation. A page that is not here fails the build. */

/** Pages outside of docs, by their file. */
export const otherPages = {
  'README.md': 'index.html',
  'providers/README.md': 'providers.html',
  'plugins/README.md': 'checks.html',
  'plugins/TUTORIAL.md': 'tutorial.html',
  'CHANGELOG.md': 'changelog.html',
  'CONTRIBUTING.md': 'contributing.html',
  'SECURITY.md': 'reporting-vulnerabilities.html',
  'AGENTS.md': 'contributors.html',
}

const guides = (...names) => names.map((name) => `guides/${name}.html`)

export const navigation = [
  { title: 'Start', pages: ['index.html', 'quickstart.html', 'concepts.html', 'lifecycle.html'] },
  {
    title: 'Clients',
    pages: guides(
      'sdks',
      'clients',
      'coding-agents',
      'claude-code',
      'codex',
      'opencode',
      'copilot-cli',
      'gemini-cli',
      'qwen-code',
      'cline',
      'continue',
      'gemini-format',
      'realtime',
    ),
  },
  {
    title: 'Requests',
    pages: guides(
      'routing',
      'guardrails',
      'limits',
      'caching',
      'semantic-caching',
      'prompt-caching',
      'capacity',
      'prompts',
      'dry-run',
    ),
  },
  { title: 'Change with evidence', pages: guides('change-with-evidence', 'replays') },
  { title: 'More endpoints', pages: guides('files', 'batches', 'fine-tuning', 'mcp', 'agents') },
  { title: 'Observe', pages: guides('logs', 'analytics', 'metrics', 'telemetry', 'webhooks', 'mail') },
  { title: 'Manage', pages: guides('management', 'infrastructure-as-code', 'console', 'sso', 'scim') },
  {
    title: 'Operate',
    pages: [
      'deployment.html',
      'production-checklist.html',
      'operations.html',
      'security.html',
      'troubleshooting.html',
      'performance.html',
    ],
  },
  {
    title: 'Reference',
    pages: ['reference', 'configuration.html', 'errors.html', 'providers.html', 'checks.html'],
  },
  { title: 'Migrate', pages: ['migrating-from-portkey.html', 'migrating-from-litellm.html'] },
  {
    title: 'Extend',
    pages: [
      'plugins.html',
      'tutorial.html',
      'adding-an-endpoint.html',
      'contributing.html',
      'contributors.html',
    ],
  },
  {
    title: 'Project',
    pages: [
      'changelog.html',
      'releasing.html',
      'reporting-vulnerabilities.html',
      'performance-notes.html',
      'performance-patterns.html',
      'conformance/clients.html',
      'conformance/gateway.html',
      'conformance/mcp-2025-03-26.html',
      'conformance/mcp-2025-06-18.html',
      'conformance/mcp-2025-11-25.html',
      'conformance/mcp-2026-07-28.html',
    ],
  },
]
