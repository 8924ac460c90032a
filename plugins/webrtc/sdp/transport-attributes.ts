import { InvalidRequest } from 'sluice/sdk'
import { sdpAttribute, type SdpAttribute } from 'sluice/sdk/media'
import type {
  DtlsSetup,
  Fingerprint,
  IceCandidateLine,
  IceCredentials,
  TransportDescription,
} from '../transport/transport-description.ts'

/** The most candidates of one description or fragment that are read; further ones are ignored. */
export const MAX_CANDIDATES = 64
/** The longest `a=candidate` that is read: a foundation has 32 characters, a host name 255. */
const MAX_CANDIDATE_LENGTH = 512
const MAX_FINGERPRINTS = 8

/** The characters and lengths of ICE credentials (RFC 8839 5.4). */
const USERNAME_FRAGMENT = /^[A-Za-z\d+/]{4,256}$/u
const PASSWORD = /^[A-Za-z\d+/]{22,256}$/u
/** The size in bytes of the supported hashes (RFC 8122 5); SHA-1 and older ones can be forged. */
const HASH_BYTES: Readonly<Record<string, number>> = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 }
const HASH = /^[\dA-F]{2}(:[\dA-F]{2})*$/u

/**
 * Parses the transport of a peer.
 * @param sections the attributes in which it may be described, of which the first that has an attribute counts: those of the BUNDLE media,
 * then of the session
 * @throws {InvalidRequest} when an attribute is missing or malformed
 */
export function parseTransport(sections: readonly (readonly SdpAttribute[])[]): TransportDescription {
  const first = (name: string) => sections.map((section) => sdpAttribute(section, name)?.value).find(Boolean)
  const ice = parseIceCredentials(first('ice-ufrag'), first('ice-pwd'))
  if (ice === undefined) throw new InvalidRequest('ICE is required: the description has no a=ice-ufrag and a=ice-pwd')
  const fingerprints = sections.map(fingerprintsOf).find((found) => found.length > 0)
  if (fingerprints === undefined) {
    throw new InvalidRequest('DTLS is required: the description has no a=fingerprint of SHA-256, SHA-384 or SHA-512')
  }
  const all = sections.flat()
  return {
    ice,
    // A side without `a=setup` is active (RFC 4145 4).
    setup: parseSetup(first('setup')) ?? 'active',
    fingerprints,
    candidates: parseCandidates(all),
    isComplete: sdpAttribute(all, 'end-of-candidates') !== undefined,
  }
}

/** The ICE credentials; undefined when one is missing. @throws {InvalidRequest} when one is malformed (RFC 8839 5.4) */
export function parseIceCredentials(
  usernameFragment: string | undefined,
  password: string | undefined,
): IceCredentials | undefined {
  if (usernameFragment === undefined || password === undefined) return undefined
  if (!USERNAME_FRAGMENT.test(usernameFragment)) throw new InvalidRequest('a=ice-ufrag has 4 to 256 letters and digits')
  if (!PASSWORD.test(password)) throw new InvalidRequest('a=ice-pwd has 22 to 256 letters and digits')
  return { usernameFragment, password }
}

/** The candidates among attributes, in their order; malformed ones are left out. */
export function parseCandidates(attributes: readonly SdpAttribute[]): IceCandidateLine[] {
  const lines = attributes.flatMap(({ name, value = '' }) => (name === 'candidate' ? [value] : []))
  return lines.slice(0, MAX_CANDIDATES).filter((line) => line.length <= MAX_CANDIDATE_LENGTH && line.includes(' typ '))
}

function fingerprintsOf(attributes: readonly SdpAttribute[]): Fingerprint[] {
  const lines = attributes.filter(({ name }) => name === 'fingerprint').slice(0, MAX_FINGERPRINTS)
  return lines.flatMap(({ value = '' }) => {
    const [algorithm = '', hash = ''] = value.split(/\s+/u, 2)
    const fingerprint = { algorithm: algorithm.toLowerCase(), value: hash.toUpperCase() }
    return isUnderstood(fingerprint) ? [fingerprint] : []
  })
}

function isUnderstood({ algorithm, value }: Fingerprint): boolean {
  const sizeBytes = Object.hasOwn(HASH_BYTES, algorithm) ? HASH_BYTES[algorithm] : undefined
  return sizeBytes !== undefined && value.length === sizeBytes * 3 - 1 && HASH.test(value)
}

function parseSetup(value: string | undefined): DtlsSetup | undefined {
  return value === 'active' || value === 'passive' || value === 'actpass' ? value : undefined
}

/** The transport attributes in each media of a description. */
export function transportAttributes({ ice, fingerprints, setup }: TransportDescription): SdpAttribute[] {
  return [
    { name: 'ice-ufrag', value: ice.usernameFragment },
    { name: 'ice-pwd', value: ice.password },
    ...fingerprints.map(({ algorithm, value }) => ({ name: 'fingerprint', value: `${algorithm} ${value}` })),
    { name: 'setup', value: setup },
  ]
}

/** The candidates in the media that stands for all (BUNDLE). */
export function candidateAttributes({
  candidates,
  isComplete,
}: Pick<TransportDescription, 'candidates' | 'isComplete'>): SdpAttribute[] {
  const lines: SdpAttribute[] = candidates.map((value) => ({ name: 'candidate', value }))
  return isComplete ? [...lines, { name: 'end-of-candidates' }] : lines
}
