import { createHash } from 'node:crypto'

/** The options of the user who installed a unit, which the next unit keeps; undefined for the defaults. */
export type UnitOptions = { readonly config: string | undefined; readonly recordings: string | undefined }

/** The parts that a unit is made of. */
export type UnitInit = {
  readonly options: UnitOptions
  /** The program with its arguments, by absolute paths. */
  readonly command: readonly string[]
  /** True for a service of the user's own, false for one of the machine. */
  readonly isOwn: boolean
  /** Variables of the environment; their values may have specifiers of systemd, as `%S`. */
  readonly environment: Readonly<Record<string, string>>
  /** Absolute paths outside the state directory that the server writes to. */
  readonly writable: readonly string[]
}

/** The user that a service of the machine runs as. */
export const SERVICE_USER = 'sluice'
/** The folder of data and recordings, when the config names none: `/var/lib/sluice`, or below the home of who installs it. */
export const STATE_FOLDER = '%S/sluice'
/** The folder of data that a start makes again when they are missing: `/var/cache/sluice`, or below the home of who installs it. */
const CACHE_FOLDER = '%C/sluice'

const SEAL =
  /^# Written by "sluice service install" \(([0-9a-f]{16})\); it writes this file anew unless it was edited\.\n/u

/** The beginning of the line with the options as JSON. */
const OPTIONS_MARK = '# Options: '

/** The user and the rights of a service of the machine. */
const OF_THE_MACHINE = `# A user of its own, whose files stay its own; it has no other rights.
User=${SERVICE_USER}
Group=${SERVICE_USER}
UMask=0027
# Ports below 1024, as 554 of RTSP.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
`

/** Returns the unit of the server, with a seal by which {@link isEdited} finds changes. */
export function unitText({ options, command, isOwn, environment, writable }: UnitInit): string {
  const paths = writable.map((path) => quoted(escaped(path))).join(' ')
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  const body = `# Changes belong beside it: systemctl ${isOwn ? '--user ' : ''}edit sluice
${OPTIONS_MARK}${JSON.stringify(options)}

[Unit]
Description=Sluice media server
${isOwn ? '' : 'Wants=network-online.target\nAfter=network-online.target\n'}${paths === '' ? '' : `RequiresMountsFor=${paths}\n`}
[Service]
ExecStart=${command.map((word) => quoted(escaped(word).replaceAll('$', '$$$$'))).join(' ')}
WorkingDirectory=${STATE_FOLDER}
# What must survive: the database, and the recordings where no other folder is named.
StateDirectory=sluice
StateDirectoryMode=0750
# The modules as Node has compiled them, which makes a start quicker; they may be removed.
CacheDirectory=sluice
CacheDirectoryMode=0750
Environment=NODE_COMPILE_CACHE=${CACHE_FOLDER}
${paths === '' ? '' : `ReadWritePaths=${paths}\n`}${variables.join('')}# Each viewer and publisher is a descriptor.
LimitNOFILE=65536
# After a crash, but not after POST /api/shutdown.
Restart=on-failure
RestartSec=2
# The server ends within five seconds of SIGTERM, and tells its sessions why.
TimeoutStopSec=10
${isOwn ? 'NoNewPrivileges=yes\n' : OF_THE_MACHINE}
[Install]
WantedBy=${isOwn ? 'default.target' : 'multi-user.target'}
`
  return `# Written by "sluice service install" (${sealOf(body)}); it writes this file anew unless it was edited.\n${body}`
}

/** Returns true when a unit differs from the one that `sluice service install` wrote. */
export function isEdited(text: string): boolean {
  const match = SEAL.exec(text)
  return match === null || match[1] !== sealOf(text.slice(match[0].length))
}

/** Returns the options that a unit was installed with; none for a unit that `sluice service install` did not write. */
export function optionsOf(text: string): Partial<UnitOptions> {
  const line = text.split('\n').find((each) => each.startsWith(OPTIONS_MARK))
  if (line === undefined) return {}
  try {
    const { config, recordings } = JSON.parse(line.slice(OPTIONS_MARK.length)) as Readonly<Record<string, unknown>>
    return { ...(typeof config === 'string' && { config }), ...(typeof recordings === 'string' && { recordings }) }
  } catch {
    return {}
  }
}

function sealOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16)
}

/** Escapes percent signs, which begin a specifier in all values (systemd.unit). */
function escaped(text: string): string {
  return text.replaceAll('%', '%%')
}

/** Quotes a word for a value (systemd.syntax, "Quoting"). */
function quoted(word: string): string {
  if (/^[\w%./:@=+,$-]+$/u.test(word)) return word
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`
}
