import type { InheritedConfig } from 'sluice/sdk'
import { nearestKey } from '../config/key-name.ts'
import type { Section } from '../config/section.ts'
import { isUsers } from '../config/settings.ts'
import { FAMILY } from '../config/undeclared.ts'

const FILTERS = ['signed_policy.protocols', 'admission_webhook.protocols']
const DIRECTIONS = [
  { group: 'publish', who: 'whoever publishes' },
  { group: 'subscribe', who: 'whoever plays' },
] as const

/** Returns the problem with a config that can't be meant as it is, or undefined. */
type Fault = (config: Readonly<InheritedConfig>) => string | undefined

const FAULTS: readonly Fault[] = [
  ({ signed_policy: { enable, secret } }) =>
    enable && secret === '' ? 'signed_policy.enable has no effect without signed_policy.secret' : undefined,
  ({ admission_webhook: { enable, url } }) =>
    enable && url === '' ? 'admission_webhook.enable has no effect without admission_webhook.url' : undefined,
  sharedExpiry,
]

/** Returns remarks on gates in these sections that are open, or shut, by an apparent mistake. */
export function gateRemarks(sections: readonly Section[]): string[] {
  const on = sections.filter(({ config }) => config.enabled)
  return [...unknownProtocols(sections), ...on.flatMap((section) => [...idleKeys(section, on), ...faults(section, on)])]
}

function unknownProtocols(sections: readonly Section[]): string[] {
  const known = new Set([...FAMILY, ...sections.map(({ name }) => name)])
  return sections.flatMap((section) =>
    FILTERS.flatMap((key) => {
      const setting = section.settings.get(key)
      if (setting === undefined || !isUsers(setting.source)) return []
      const unknown = (setting.value as readonly string[]).filter((protocol) => !known.has(protocol))
      return unknown.map((protocol) => `${section.name}.${key}: ${unknownProtocol(protocol, known)}`)
    }),
  )
}

function unknownProtocol(protocol: string, known: ReadonlySet<string>): string {
  const nearest = nearestKey(protocol, known)
  const hint = nearest === undefined ? '' : `, did you mean '${nearest}'?`
  return `there is neither a protocol nor a plugin '${protocol}'${hint}`
}

/** Remarks on keys that are set, although no signature is checked with them. */
function idleKeys(section: Section, sections: readonly Section[]): string[] {
  return DIRECTIONS.flatMap(({ group, who }) => {
    const path = `${group}.key`
    const source = section.settings.get(path)?.source
    if (source === 'default' || source === 'global' || valuesOf(section)[group].key === '') return []
    const users = section.name === 'global' ? sections.filter((other) => isInherited(other, path)) : []
    if ([section, ...users].some((user) => valuesOf(user).enableauth)) return []
    const { name } = section
    return [
      `${name}.${path} keeps nobody out, as enableauth is off: set ${name}.enableauth to true to ask ${who} for a signature`,
    ]
  })
}

function isInherited(section: Section, path: string): boolean {
  return section.settings.get(path)?.source === 'global'
}

/** Remarks on the faults of a section. A fault of `global` is not repeated for each plugin that inherits it. */
function faults(section: Section, [global]: readonly Section[]): string[] {
  return FAULTS.flatMap((fault) => {
    const found = fault(valuesOf(section))
    const inherited = section !== global && global !== undefined && fault(valuesOf(global)) === found
    return found === undefined || inherited ? [] : [`${section.name}: ${found}`]
  })
}

// The signature's expiry is hexadecimal and the policy's decimal: under one name, one of them can't be right.
function sharedExpiry(config: Readonly<InheritedConfig>): string | undefined {
  const { publish, subscribe, enableauth, expireargname, signed_policy: policy } = config
  if (!enableauth || !policy.enable || policy.secret === '') return undefined
  const signed = [publish, subscribe].filter(({ key }) => key !== '')
  if (!signed.some((group) => (group.expireargname || expireargname) === policy.expire_query)) return undefined
  return (
    `both the signature and the signed policy read their expiry from "${policy.expire_query}", one in hexadecimal and ` +
    'one in decimal: rename signed_policy.expire_query or expireargname'
  )
}

/** The values of a section, each of which has the keys that all inherit. */
function valuesOf({ config }: Section): Readonly<InheritedConfig> {
  return config.values as Readonly<InheritedConfig>
}
