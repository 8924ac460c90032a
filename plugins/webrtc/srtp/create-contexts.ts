import type { CipherLibrary } from './cipher-library.ts'
import { cryptoLibrary } from './crypto-library.ts'
import { loadNativeLibrary } from './native-library.ts'
import { ReceiverContext } from './receiver-context.ts'
import { SenderContext } from './sender-context.ts'
import type { SrtpKeys, SrtpReceiver, SrtpSender } from './srtp-context.ts'

let library: CipherLibrary | undefined

/** The cipher library: OpenSSL's own functions if they can be called, else node:crypto. */
export function srtpCipherLibrary(): CipherLibrary {
  library ??= loadNativeLibrary() ?? cryptoLibrary
  return library
}

/** @throws {RangeError} for keys of another size than the profile's */
export function createSrtpSender(keys: SrtpKeys): SrtpSender {
  return new SenderContext(srtpCipherLibrary(), keys)
}

/** @throws {RangeError} for keys of another size than the profile's */
export function createSrtpReceiver(keys: SrtpKeys): SrtpReceiver {
  return new ReceiverContext(srtpCipherLibrary(), keys)
}
