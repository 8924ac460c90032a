import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CAMERAS = `
import { definePlugin, Type } from 'sluice/sdk'
export default definePlugin({
  name: 'cameras',
  version: '1.0.0',
  pages: [
    { title: 'Devices', titles: { zh: '设备' }, group: 'devices', module: new URL('pages/devices.tsx', import.meta.url) },
    { title: 'Later', module: new URL('pages/later.tsx', import.meta.url) },
    { title: 'Gone', module: new URL('pages/gone.js', import.meta.url) },
    { title: 'Map', icon: '/map.svg', module: new URL('pages/map.js', import.meta.url) },
    {
      title: 'Settings',
      form: {
        schema: Type.Object({ host: Type.String({ title: 'Host', minLength: 1 }) }),
        read: 'api/settings',
        write: '/api/cameras/settings',
      },
    },
    { url: '/', title: 'All', icon: '/icon.svg' },
    { url: '/wall', title: 'Wall' },
  ],
  setup() {},
})`
const PANEL = `
import path from 'node:path'
import { definePlugin } from 'sluice/sdk'
import { servePageFile, servePageFolder } from 'sluice/sdk/http'
const folder = path.join(import.meta.dirname, 'page')
const icon = { file: path.join(folder, 'icon.svg'), type: 'image/svg+xml' }
export default definePlugin({
  name: 'panel',
  version: '1.0.0',
  setup({ http }) {
    servePageFolder(http, { url: '/', folder, access: 'page', standsFor: { '/config/{plugin}': '/sections/{plugin}' } })
    servePageFile(http, { url: '/one.svg', ...icon, access: 'page' })
    servePageFolder(http, { url: '/open', folder })
    servePageFile(http, { url: '/open.svg', ...icon })
  },
})`
const FILES = {
  'panel/index.ts': PANEL,
  'panel/page/index.html': '<title>Panel</title>',
  'panel/page/icon.svg': '<svg/>',
  'cameras/index.ts': CAMERAS,
  'cameras/pages/devices.tsx': 'the source',
  'cameras/pages/built/devices.js': 'export default () => "devices"',
  'cameras/pages/map.js': 'export default () => "map"',
}
const MODULE = '/cameras/pages/devices.js'
const ELSEWHERE = { headers: { 'x-forwarded-for': '203.0.113.7' } }
const USERS = 'enablelogin: true, users: [{ username: alice, password: a long pass phrase, role: admin }]'

describe('pages of plugins', () => {
  async function start(admin = ''): Promise<RunningServer> {
    return startServer({
      config: `global: { plugins_dir: ., admin: { ${admin} } }\n`,
      pluginFolders: [],
      async prepare(folder) {
        for (const [name, text] of Object.entries(FILES)) {
          await mkdir(path.join(folder, path.dirname(name)), { recursive: true })
          await writeFile(path.join(folder, name), text)
        }
      },
    })
  }
  const status = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status

  it('are listed by their addresses on the server, but for those that are not there, which the log says once', async () => {
    const server = await start()
    const { body } = await server.api('/api/sysinfo')
    const { plugins } = body.data as { plugins: { pages?: unknown }[] }
    expect(plugins.flatMap(({ pages }) => (pages === undefined ? [] : [pages]))).to.eql([
      [
        { title: 'Devices', titles: { zh: '设备' }, group: 'devices', module: MODULE },
        { title: 'Map', icon: '/cameras/map.svg', module: '/cameras/pages/map.js' },
        {
          title: 'Settings',
          form: {
            schema: {
              type: 'object',
              required: ['host'],
              properties: { host: { type: 'string', title: 'Host', minLength: 1 } },
            },
            read: '/cameras/api/settings',
            write: '/api/cameras/settings',
          },
        },
        { url: '/cameras/', title: 'All', icon: '/cameras/icon.svg' },
        { url: '/cameras/wall', title: 'Wall' },
      ],
    ])
    expect(server.problems.map(({ plugin, msg }) => [plugin, msg])).to.eql([
      ['cameras', "a page isn't built: npm run build makes it"],
      ['cameras', 'a page is missing'],
    ])
    expect(server.problems[0]?.['file']).to.match(/pages\/later\.tsx$/u)
    expect(await (await fetch(server.http(MODULE))).text()).to.equal(FILES['cameras/pages/built/devices.js'])
  })

  it('are there when they are built, which starts the plugin anew', async () => {
    const server = await start()
    await writeFile(path.join(server.folder, 'cameras/pages/built/later.js'), 'export default () => "later"')
    const listed = async () => JSON.stringify((await server.api('/api/sysinfo')).body).includes('pages/later.js')
    await waitFor(listed, { what: 'the page in the list' })
    expect(await status(server.http('/cameras/pages/later.js'))).to.equal(200)
  })

  const ADMINISTRATION = [MODULE, '/panel/', '/panel/streams/live', '/panel/icon.svg', '/panel/one.svg']
  const OPEN = ['/panel/open/', '/panel/open/icon.svg', '/panel/open.svg']

  for (const place of ADMINISTRATION) {
    it(`are for those who may ask the administration, where they say so: ${place}`, async () => {
      const browser = { ...ELSEWHERE.headers, accept: 'text/html' }
      const server = await start()
      const refused = await fetch(server.http(place), { headers: browser })
      expect(refused.status).to.equal(401)
      expect(await refused.json()).to.eql({
        code: 16,
        message: 'administration is open to this machine only; the request came through a proxy (x-forwarded-for)',
        details: [],
      })
      const withLogin = await start(USERS)
      expect(await status(withLogin.http(place), { headers: browser })).to.equal(200)
      expect(await status(withLogin.http('/api/sysinfo'), { headers: browser })).to.equal(401)
    })
  }

  it('are opened in place of operations, also by those who are yet to log in, while the plugin runs', async () => {
    const server = await start(USERS)
    const browser = { headers: { accept: 'text/html' } }
    const opened = await fetch(server.http('/config/global'), browser)
    expect([opened.status, opened.url]).to.eql([200, server.http('/panel/sections/global')])
    expect(await status(server.http('/config/global'))).to.equal(401)
    await rm(path.join(server.folder, 'panel'), { recursive: true })
    const isAnswered = async () => (await fetch(server.http('/config/global'), browser)).status === 401
    await waitFor(isAnswered, { what: 'the answer of the operation' })
  })

  it('are not at addresses that answer no administration, where they say so', async () => {
    const server = await start('listenaddr: "127.0.0.1:0"')
    const port = server.server.http.adminAddresses[0]?.port
    const browser = { headers: { accept: 'text/html' } }
    for (const place of [...ADMINISTRATION, ...OPEN]) {
      const isOpen = OPEN.includes(place)
      expect(await status(server.http(place), browser), place).to.equal(isOpen ? 200 : 404)
      expect(await status(`http://127.0.0.1:${port}${place}`, browser), place).to.equal(200)
      if (isOpen) expect(await status(server.http(place), ELSEWHERE), place).to.equal(200)
    }
  })
})
