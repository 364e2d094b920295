/** The text of `gateway help`. */

export const usage = `gateway COMMAND [OPTIONS]

  start     Start the gateway.
              --config FILE     the config file (GATEWAY_CONFIG; default config/gateway.yaml)
              --host HOST       the address to listen on (GATEWAY_HOST; default 127.0.0.1)
              --port PORT       the port to listen on (GATEWAY_PORT; default 8787)
              --workers N|auto  processes (GATEWAY_WORKERS; default 1)
  check     Validate a config file and list what would load; exit 1 with every fault.
              --config FILE
  plugins   List the packages that were discovered, and what they bring.
              NAME              only this package, plugin or provider
              --checks          the checks with their parameters instead; NAME may be a check's id
              --config FILE
  try       Run one check; exit 1 when it fails or cannot be run.
              CHECK             its id, such as default.contains
              --text TEXT       what to check; without it the standard input is read
              --parameters JSON its parameters
              --phase before|after
                                default: the first in which the check runs
              --body FILE       a whole request (or answer) as JSON, instead of a text
              --metadata JSON   the request's metadata
              --config FILE     whose plugins.settings and trusted hosts count
  keys      Keys that the config file declares. Without --write, the lines to put there are printed.
            With --store: keys of the store, at once; NAME is a name or an id.
              create --name NAME [--scopes A,B] [--workspace W] [--expires-at TIME]
                                make a key; it is shown once
              list              names, scopes and workspaces
              rotate NAME       replace a key by a new one, which is shown once; the old one ends
                                when the file is read again
              revoke NAME       remove a key
              hash              read a key from the standard input and print its hash
              --config FILE --write --store
  rotate-encryption-key
            Put the store's secrets under a new master key (GATEWAY_ENCRYPTION_KEY with the old one in
            GATEWAY_PREVIOUS_ENCRYPTION_KEY, or the one that is kept in the data directory).
              --config FILE
  export    Write everything of the store to a file: documents, budgets, logs, files. Secrets stay sealed.
              FILE              which is not there yet
              --config FILE
  import    Put an export into an empty store, SQLite or Postgres; it needs the same GATEWAY_ENCRYPTION_KEY.
              FILE
              --merge           into a store that is not empty: the same ids are replaced, the rest stays
              --config FILE
  new       Make a package that builds, tests and loads as it is, in ./NAME.
              plugin NAME       a guardrail check
              provider NAME     a provider
  schema    Write the JSON Schemas of the config file and of routing configs for editors.
              --config FILE     whose packages count, too
              --out FOLDER      where to (default config)
  docs      Write the pages of all providers and all checks: providers/README.md, plugins/README.md.
              --config FILE     whose packages count, too
              --out FOLDER      the checkout (default .)
  help      Show this.
  --version Show the version.

Flags win over the environment, the environment over the config file.
`
