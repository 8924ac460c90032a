import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import { waitFor } from './wait-for.ts'

/** How often another port is tried, where somebody else was quicker. */
const ATTEMPTS = 3
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** A running nginx. It ends with the test that started it, at the latest. */
export class Nginx {
  readonly port: number

  private constructor(port: number) {
    this.port = port
  }

  /**
   * Starts it with the blocks of its `http` block, made for the port that it is to listen on.
   * @throws {Error} with what it says of its config
   */
  static async start(http: (port: number) => string): Promise<Nginx> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort()
      const error = await run(http(port), port)
      if (error === undefined) return new Nginx(port)
      if (attempt === ATTEMPTS || !error.message.includes('Address already in use')) throw error
    }
  }

  http(urlPath: string): string {
    return `http://127.0.0.1:${this.port}${urlPath}`
  }
}

async function run(http: string, port: number): Promise<Error | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'nginx-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  const file = path.join(folder, 'nginx.conf')
  await writeFile(file, configText(http))
  const peer = new PeerProcess('nginx', ['-p', folder, '-c', file, '-e', 'stderr'])
  const answers = async () => {
    if (peer.exited !== undefined) return true
    return fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' }).then(
      () => true,
      () => false,
    )
  }
  await waitFor(answers, { what: 'nginx to answer' })
  return peer.exited === undefined ? undefined : peer.error('ended')
}

/** One process without root's rights or a place of its own. */
function configText(http: string): string {
  const temporary = TEMP_PATHS.map((name) => `${name}_temp_path temp;`)
  return `daemon off;
master_process off;
pid nginx.pid;
events {}
http {
access_log off;
${temporary.join('\n')}
${http}
}
`
}
