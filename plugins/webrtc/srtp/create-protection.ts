import type { CipherLibrary } from './cipher-library.ts'
import { CounterModeProtection } from './counter-mode-protection.ts'
import { GcmProtection } from './gcm-protection.ts'
import type { PacketProtection } from './packet-protection.ts'
import { deriveSessionKeys } from './session-keys.ts'
import type { SrtpKeys } from './srtp-context.ts'

/**
 * Makes the transforms of a profile for one kind of packets and one direction.
 * @throws {RangeError} for keys of another size than the profile's
 */
export function createProtection(
  library: CipherLibrary,
  keys: SrtpKeys,
  kind: 'rtp' | 'rtcp',
  direction: 'seal' | 'open',
): PacketProtection {
  const sessionKeys = deriveSessionKeys(keys, kind)
  if (keys.profile === 'SRTP_AEAD_AES_128_GCM') return new GcmProtection(library, sessionKeys, direction)
  return new CounterModeProtection(library, sessionKeys)
}
