import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'

const SCRIPT = fileURLToPath(new URL('./swift-server.py', import.meta.url))
/** Debian's, which its packages bring their modules to. */
const PYTHON = '/usr/bin/python3'

/** Who may do everything on the server. */
export const SWIFT_USER = { accessKeyId: 'test:tester', secretAccessKey: 'not-a-secret' } as const
/** The one region of the server. */
export const SWIFT_REGION = 'eu-test-1'
/** A bucket is also found as the first name of a host below this one. */
export const SWIFT_DOMAIN = 's3.test'

/** OpenStack Swift with its S3 API, which checks signatures, and lists ten objects at a time. It ends with the test or file that started it. */
export class SwiftServer {
  readonly port: number

  private constructor(port: number) {
    this.port = port
  }

  static async start(): Promise<SwiftServer> {
    const folder = mkdtempSync(join(tmpdir(), 'swift-'))
    keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
    const { accessKeyId, secretAccessKey } = SWIFT_USER
    const process = new PeerProcess(PYTHON, [SCRIPT, folder, accessKeyId, secretAccessKey, SWIFT_REGION, SWIFT_DOMAIN])
    const ready = /^ready (\d+)$/mu
    await process.waitForStderr(ready)
    return new SwiftServer(Number(ready.exec(process.stderr)?.[1]))
  }
}
