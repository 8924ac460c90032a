import { connect, type Socket } from 'node:net'
import type { HttpConfig } from 'sluice/sdk'
import { ListenerPool } from '../../net/listener-pool.ts'
import { createLogger } from '../../observe/logger.ts'
import type { Peers } from '../../peers/peers.ts'
import { HttpHost } from '../http-host.ts'
import type { HttpLimits } from '../front/limits.ts'
import type { ServerHttpConfig } from '../server-listeners.ts'
import type { PluginHttp } from '../plugin-http.ts'

export const HTTP_CONFIG: HttpConfig = {
  listenaddr: '127.0.0.1:0',
  listenaddrtls: '',
  certfile: '',
  keyfile: '',
  cors: true,
  accesslog: false,
  trustproxy: [],
  username: '',
  password: '',
}

export type LogLine = { readonly level: string; readonly msg: string; readonly [key: string]: unknown }

/** An HTTP host on a free port, with its log lines. */
export class HttpFixture {
  readonly lines: LogLine[] = []
  readonly log = createLogger({
    level: 'debug',
    destination: { write: (line) => void this.lines.push(JSON.parse(line) as LogLine) },
  })
  readonly pool = new ListenerPool({ log: this.log })
  readonly host: HttpHost
  readonly #clients: Socket[] = []

  constructor(
    limits: Partial<HttpLimits> = {},
    config: Partial<HttpConfig> = {},
    admin: Partial<ServerHttpConfig['admin']> = {},
    peers?: Peers,
  ) {
    this.host = new HttpHost({
      log: this.log,
      pool: this.pool,
      config: this.config(config, admin),
      limits,
      ...(peers && { peers }),
    })
  }

  /** The config of a server on a free port, with some keys replaced. */
  config(http: Partial<HttpConfig>, admin: Partial<ServerHttpConfig['admin']> = {}): ServerHttpConfig {
    const nowhere = { listenaddr: '', listenaddrtls: '', certfile: '', keyfile: '' }
    return { http: { ...HTTP_CONFIG, ...http }, admin: { ...nowhere, ...admin } }
  }

  get port(): number {
    return this.host.addresses[0]?.port ?? 0
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  plugin(name: string, mounts: readonly string[] = [name], config: Partial<HttpConfig> = {}): Promise<PluginHttp> {
    return this.host.createPluginHttp({ name, mounts, config: { ...HTTP_CONFIG, ...config }, log: this.log })
  }

  dial(port = this.port): Socket {
    const client = connect(port, '127.0.0.1').on('error', () => {})
    this.#clients.push(client)
    return client
  }

  /** Sends text as it is; returns all that comes back until the server closes the connection. */
  async exchange(text: string, port = this.port): Promise<string> {
    const client = this.dial(port)
    client.write(text)
    return readAll(client)
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await this.host.close(100)
    this.pool.close()
  }
}

export async function readAll(client: Socket): Promise<string> {
  let text = ''
  client.on('data', (bytes) => {
    text += bytes.toString()
  })
  await new Promise((resolve) => client.once('close', resolve))
  return text
}

export async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
