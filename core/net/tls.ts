import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { KeyPair } from 'sluice/sdk/host'
import { selfSignedCertificate } from './self-signed.ts'

/** The paths as in the config; both empty for a self-signed certificate. */
export type CertificateFiles = { readonly certfile: string; readonly keyfile: string }

/** The lifetime of a self-signed certificate. */
export type CertificateLife = {
  /** The lifetime in days; 365 unless given. */
  readonly days?: number | undefined
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number
}

/** The interval at which a self-signed certificate is checked for renewal. */
const DUE_INTERVAL_MS = 3_600_000
/** The interval at which the files are checked. They are polled, as renewal tools replace files, links and whole folders. */
const WATCH_INTERVAL_MS = 2_000

/**
 * Reads and checks a certificate and its key.
 * @throws {Error} with a message that names the file and the error in it
 */
export async function loadCertificate(
  { certfile, keyfile }: CertificateFiles,
  { days, now = Date.now }: CertificateLife = {},
): Promise<KeyPair> {
  if (certfile === '' && keyfile === '') return selfSignedCertificate(days, now())
  if (certfile === '') throw new Error(`keyfile ${keyfile} is set, but certfile is not`)
  if (keyfile === '') throw new Error(`certfile ${certfile} is set, but keyfile is not`)
  // The files are read one after the other, so that the error names the first when both are wrong.
  const cert = await readPem('certfile', certfile)
  const key = await readPem('keyfile', keyfile)
  const parsed = parsePem('certfile', certfile, 'a certificate', () => new X509Certificate(cert))
  const privateKey: KeyObject = parsePem('keyfile', keyfile, 'an unencrypted private key', () => createPrivateKey(key))
  if (!parsed.checkPrivateKey(privateKey)) throw new Error(`keyfile ${keyfile} is not the key of certfile ${certfile}`)
  return { cert, key }
}

async function readPem(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new Error(`can't read ${name} ${path}: ${reason(cause)}`, { cause })
  }
}

function parsePem<T>(name: string, path: string, what: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new Error(`${name} ${path} is not ${what} in PEM form`, { cause })
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ENOENT') return 'no such file'
  if ('code' in error && error.code === 'EACCES') return 'permission denied'
  return error.message
}

/**
 * A certificate that is renewed without a restart: its files are read again when they change, and a self-signed one is made
 * again when it is due.
 */
export class ServerCertificate {
  readonly #files: CertificateFiles
  readonly #life: CertificateLife
  readonly #log: Logger
  readonly #reload = (): void => void this.reload()
  #pair: KeyPair
  #dueTimer: NodeJS.Timeout | undefined
  /** Called when the certificate was replaced. */
  onRenewed: (pair: KeyPair) => void = () => {}

  private constructor(files: CertificateFiles, life: CertificateLife, pair: KeyPair, log: Logger) {
    this.#files = files
    this.#life = life
    this.#pair = pair
    this.#log = log
    if (this.#paths().length === 0) this.#dueTimer = setInterval(this.#reload, DUE_INTERVAL_MS).unref()
    for (const path of this.#paths()) watchFile(path, { interval: WATCH_INTERVAL_MS, persistent: false }, this.#reload)
  }

  /** @throws {Error} as `loadCertificate` does */
  static async open(files: CertificateFiles, log: Logger, life: CertificateLife = {}): Promise<ServerCertificate> {
    return new ServerCertificate(files, life, await loadCertificate(files, life), log)
  }

  get pair(): KeyPair {
    return this.#pair
  }

  /**
   * Reads the files again, or renews a self-signed certificate that is due. While the files don't fit together, as between
   * two writes of a renewal, the old pair stays.
   */
  async reload(): Promise<void> {
    try {
      const pair = await loadCertificate(this.#files, this.#life)
      if (pair.cert === this.#pair.cert && pair.key === this.#pair.key) return
      this.#pair = pair
      this.onRenewed(pair)
      this.#log.info({ certfile: this.#files.certfile }, 'certificate renewed')
    } catch (err) {
      this.#log.warn({ err }, 'certificate not renewed, the one in use stays')
    }
  }

  close(): void {
    clearInterval(this.#dueTimer)
    this.onRenewed = () => {}
    for (const path of this.#paths()) unwatchFile(path, this.#reload)
  }

  #paths(): string[] {
    return [this.#files.certfile, this.#files.keyfile].filter((path) => path !== '')
  }
}
