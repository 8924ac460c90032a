import type { Paths } from 'sluice/api'
import type { Proxy } from './proxy.ts'

/** The values of the form of a proxy. */
export type ProxyValues = {
  /** Empty for a proxy whose address stays: what is shown of it lacks its secrets. */
  readonly address: string
  readonly name: string
  readonly description: string
  readonly streamPath: string
  readonly type: string
  readonly audio: boolean
  readonly beginsAlone: boolean
  readonly stopOnIdle: boolean
  readonly recordPath: string
  readonly recordFragment: string
  readonly checkInterval: string
  readonly parentID: number
}

type PullBody = NonNullable<Paths['POST /api/proxy/pull/add']['body']>
type PushBody = NonNullable<Paths['POST /api/proxy/push/add']['body']>

/** A proxy of which a request says nothing. */
export const UNSAID: ProxyValues = {
  address: '',
  name: '',
  description: '',
  streamPath: '',
  type: '',
  audio: false,
  beginsAlone: false,
  stopOnIdle: false,
  recordPath: '',
  recordFragment: '',
  checkInterval: '',
  parentID: 0,
}

/** The values with which the form of a new proxy begins. */
export const NEW: ProxyValues = { ...UNSAID, audio: true, stopOnIdle: true }

export function valuesOf(proxy: Proxy): ProxyValues {
  const { name, description, streamPath, type, audio, beginsAlone, parentID, pull } = proxy
  return { ...UNSAID, ...pull, name, description, streamPath, type, audio, beginsAlone, parentID }
}

/** The fields of a request that makes a pull proxy what the form says: those that differ from `before`. */
export function pullBody(values: ProxyValues, before: ProxyValues): PullBody {
  const changed = changedValues(values, before)
  const { stopOnIdle, recordPath, recordFragment, checkInterval } = changed
  return {
    ...commonBody(changed),
    ...defined({ pullURL: changed.address, pullOnStart: changed.beginsAlone }),
    ...defined({ stopOnIdle, recordPath, recordFragment, checkInterval }),
  }
}

/** As {@link pullBody} for a push proxy. */
export function pushBody(values: ProxyValues, before: ProxyValues): PushBody {
  const changed = changedValues(values, before)
  return { ...commonBody(changed), ...defined({ pushURL: changed.address, pushOnStart: changed.beginsAlone }) }
}

/** A refusal that names its field: `checkInterval: expected …`, `pullURL is missing`. */
const NAMED = /^(?<name>\w+)(?::| is | must )/u
const FIELDS: Readonly<Record<string, keyof ProxyValues>> = {
  pullURL: 'address',
  pushURL: 'address',
  streamPath: 'streamPath',
  name: 'name',
  description: 'description',
  type: 'type',
  recordPath: 'recordPath',
  recordFragment: 'recordFragment',
  checkInterval: 'checkInterval',
  parentID: 'parentID',
}

/** The field of the form that a message of the server is about; undefined where it is about none alone. */
export function fieldOf(message: string): keyof ProxyValues | undefined {
  if (message.startsWith('the address ')) return 'address'
  if (/\bstream path\b/u.test(message)) return 'streamPath'
  return FIELDS[NAMED.exec(message)?.groups?.['name'] ?? '']
}

function commonBody({ parentID, name, type, audio, description, streamPath }: Partial<ProxyValues>): PushBody {
  return defined({ parentID, name, type, audio, description, streamPath })
}

function changedValues(values: ProxyValues, before: ProxyValues): Partial<ProxyValues> {
  const was = new Map(Object.entries(before))
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== was.get(name)))
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
