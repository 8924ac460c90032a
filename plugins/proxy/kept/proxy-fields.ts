import { checkStreamPath, InvalidRequest, maskTarget, maskUrl, type PullRule, type PushRule } from 'sluice/sdk'
import {
  checkIntervalOf,
  type ProxySettings,
  type PullProxySettings,
  type PushProxySettings,
} from './proxy-settings.ts'
import type { ProxyTypes } from './proxy-type.ts'

/** `maskUrl` and `maskTarget` show this in place of secrets. */
const MASK = '******'

/** The longest address, in UTF-16 code units. */
const MAX_URL_LENGTH = 4096
const BLANK = /[\s\0-\u001f\u007f]/u

type Change<Settings> = { readonly [Field in keyof Settings]?: Settings[Field] | undefined }

/** The fields of a proxy in a request or the config; a field that is left out stays as it is. */
export type ProxyFields = Change<Omit<ProxySettings, 'id' | 'createdMs' | 'updatedMs' | 'type'>> & {
  /** The protocol by name or number; empty or 0 when the address decides. */
  readonly type?: string | number | undefined
  /** The address; the masked form in which answers show it leaves the address as it is. */
  readonly url?: string | undefined
}
export type PullProxyFields = ProxyFields &
  Change<Pick<PullProxySettings, 'stopsOnIdle' | 'recordPath' | 'recordFragmentMs' | 'checkIntervalMs'>>

const PULL_RULE: PullRule = {
  url: '',
  loop: 0,
  maxretry: -1,
  retryinterval: 5e3,
  proxy: '',
  header: {},
  args: {},
  testmode: 0,
}
const PUSH_RULE: PushRule = { url: '', maxretry: -1, retryinterval: 5000, proxy: '', header: {} }

/**
 * Creates a pull proxy.
 * @param rule the connection as the config sets it; without `maxretry`, it is tried again for ever
 * @throws {InvalidRequest} when the fields are invalid
 */
export function newPullProxy(id: number, fields: PullProxyFields, types: ProxyTypes, rule = PULL_RULE) {
  const blank = { stopsOnIdle: false, recordPath: '', recordFragmentMs: 0, checkIntervalMs: checkIntervalOf(0) }
  return changedPullProxy({ ...blankProxy(id), ...blank, rule: endless(rule) }, fields, types)
}

/** Creates a push proxy, as {@link newPullProxy} does. */
export function newPushProxy(id: number, fields: ProxyFields, types: ProxyTypes, rule = PUSH_RULE) {
  return changedPushProxy({ ...blankProxy(id), rule: endless(rule) }, fields, types)
}

/**
 * Returns a pull proxy with other fields.
 * @throws {InvalidRequest} when they are invalid
 */
export function changedPullProxy(
  before: PullProxySettings,
  fields: PullProxyFields,
  types: ProxyTypes,
): PullProxySettings {
  const interval = fields.checkIntervalMs
  return {
    ...changedProxy(before, fields, types, 'pull'),
    stopsOnIdle: fields.stopsOnIdle ?? before.stopsOnIdle,
    recordPath: fields.recordPath ?? before.recordPath,
    recordFragmentMs: fields.recordFragmentMs ?? before.recordFragmentMs,
    checkIntervalMs: interval === undefined ? before.checkIntervalMs : checkIntervalOf(interval),
  }
}

/** Returns a push proxy with other fields, as {@link changedPullProxy} does. */
export function changedPushProxy(before: PushProxySettings, fields: ProxyFields, types: ProxyTypes): PushProxySettings {
  return changedProxy(before, fields, types, 'push')
}

function changedProxy<Settings extends ProxySettings & { readonly rule: PullRule | PushRule }>(
  before: Settings,
  fields: ProxyFields,
  types: ProxyTypes,
  direction: 'pull' | 'push',
): Settings {
  const url = urlOf(before.rule.url, fields.url, direction === 'push' ? maskTarget : maskUrl)
  const isSame = url === before.rule.url
  const type = fields.type === undefined && isSame ? before.type : types.read(fields.type ?? '')
  const told = type || types.of(url)
  if (told === undefined) throw unknownType(url)
  const streamPath = fields.streamPath ?? (before.streamPath || `${direction}/${told}/${before.id}`)
  return {
    ...before,
    type: told,
    rule: isSame ? before.rule : { ...before.rule, url },
    streamPath: checkStreamPath(streamPath),
    parentId: fields.parentId ?? before.parentId,
    name: fields.name ?? before.name,
    isDisabled: fields.isDisabled ?? before.isDisabled,
    beginsAlone: fields.beginsAlone ?? before.beginsAlone,
    audio: fields.audio ?? before.audio,
    description: fields.description ?? before.description,
  }
}

/**
 * Returns the address of a proxy with the given field. No message repeats an address, as it may hold secrets.
 * @param mask masks the secrets in such an address
 * @throws {InvalidRequest} when the field is no address
 */
function urlOf(before: string, given: string | undefined, mask: (url: string) => string): string {
  if (given === undefined || (before !== '' && (given === before || given === mask(before)))) return before
  if (given === '') throw new InvalidRequest('the address is missing')
  if (given.includes(MASK)) {
    throw new InvalidRequest(`the address has ${MASK} in place of what is hidden: write all of it`)
  }
  if (given.length > MAX_URL_LENGTH) throw new InvalidRequest(`the address is longer than ${MAX_URL_LENGTH} characters`)
  if (BLANK.test(given)) throw new InvalidRequest('the address has blanks in it')
  return given
}

function unknownType(url: string): InvalidRequest {
  return new InvalidRequest(
    URL.canParse(url)
      ? 'the address does not tell its type; give it as type'
      : 'the address is neither one with scheme and host, nor a file that a plugin plays',
  )
}

function endless<Rule extends PullRule | PushRule>(rule: Rule): Rule {
  return { ...rule, url: '', maxretry: rule.maxretry || -1 }
}

function blankProxy(id: number): ProxySettings {
  const nowMs = Date.now()
  return {
    id,
    createdMs: nowMs,
    updatedMs: nowMs,
    parentId: 0,
    name: '',
    type: '',
    streamPath: '',
    isDisabled: false,
    beginsAlone: false,
    audio: false,
    description: '',
  }
}
