import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const FOLDER = import.meta.dirname
/** A note that a page must show as the text that it is. */
const HOSTILE = '<img src=x onerror="document.title=1">'

/** Further pages of the plugin, which fail, and what is seen then. */
const BROKEN = {
  throws: { text: `export default () => { throw new Error('it fell over') }\n`, shows: 'it fell over' },
  'throws-late': {
    text: `import { useEffect } from 'react'
export default () => {
  useEffect(() => { throw new Error('it fell over later') }, [])
  return 'all is well'
}\n`,
    shows: 'it fell over later',
  },
  'no-script': { text: 'export default (\n', shows: /Unexpected/u },
  'no-component': { text: 'export const Page = 1\n', shows: /has no component as its default export/u },
  'no-import': { text: `import 'no-such-package'\nexport default () => 'here'\n`, shows: /no-such-package/u },
  gone: { text: `export default () => 'here'\n`, shows: /dynamically imported module/u },
} as const

/** The plugin as it is shipped, in a folder of its own, with the pages that fail beside its own. */
async function putPlugin(folder: string): Promise<void> {
  const plugin = path.join(folder, 'guestbook')
  await cp(FOLDER, plugin, { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  const pages = Object.entries(BROKEN).map(async ([name, { text }]) => {
    await writeFile(path.join(plugin, `pages/${name}.js`), text)
    return `{ title: '${name}', module: new URL('pages/${name}.js', import.meta.url) },`
  })
  const index = await readFile(path.join(plugin, 'index.ts'), 'utf8')
  await writeFile(
    path.join(plugin, 'index.ts'),
    index.replace('  pages: [', `  pages: [${(await Promise.all(pages)).join('')}`),
  )
}

describe('pages that a plugin brings into the console', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ config: 'global: { plugins_dir: . }', prepare: putPlugin })
    browser = await openChromium()
  })

  const open = (place: string, options = {}) => ConsolePage.open(browser, server.http('/admin/'), place, options)
  const notes = async () => (await server.api('/guestbook/api/notes')).body.data
  const inMenu = ({ page }: ConsolePage, name: string) => page.getByRole('link', { name, exact: true })

  it('are in the menu and work: a module that is plain JavaScript, and a form', async () => {
    const console = await open('overview')
    await inMenu(console, 'Notes').click()
    await console.heading('Notes')
    await console.text('Nobody has written anything.')
    await console.page.getByLabel('Note', { exact: true }).fill(HOSTILE)
    await console.button('Add').click()
    await console.page.getByRole('main').getByText(HOSTILE).waitFor()
    expect(await notes()).to.eql({ heading: 'Notes', notes: [HOSTILE] })
    await console.isSound()

    await inMenu(console, 'Settings of notes').click()
    await console.heading('Settings of notes')
    await console.page.getByLabel('Heading').fill('What we saw')
    await console.button('Save').click()
    await console.text('Saved')
    expect(await notes()).to.include({ heading: 'What we saw' })
    await console.isSound()
    await inMenu(console, 'Notes').click()
    await console.text('What we saw')
  })

  it('speak the language of the console', async () => {
    const console = await open('guestbook/notes', { locale: 'zh-CN', colorScheme: 'dark' })
    await console.heading('留言')
    await inMenu(console, '留言设置').waitFor()
    await console.isSound()
  })

  it('are tried again where they have failed', async () => {
    const console = await open('overview')
    await console.page.route('**/pages/gone.js', (route) => route.fulfill({ status: 404 }), { times: 1 })
    await inMenu(console, 'gone').click()
    await console.button('Try again').click()
    await console.page.getByRole('main').getByText('here').waitFor()
  })

  for (const [name, { shows }] of Object.entries(BROKEN)) {
    it(`fail alone, with the error in their place: ${name}`, async () => {
      const console = await open('overview')
      // Its file goes while the menu has it: the next menu would not.
      await console.page.route('**/pages/gone.js', (route) => route.fulfill({ status: 404 }))
      await inMenu(console, name).click()
      const main = console.page.getByRole('main')
      await main.getByRole('alert').getByText(shows).waitFor()
      await main.getByText('The plugin that it belongs to: guestbook').waitFor()
      await inMenu(console, 'Notes').click()
      await console.heading('Notes')
      await inMenu(console, 'Plugins').click()
      await console.heading('Plugins')
    })
  }
})

describe('docs/plugins/pages.md', () => {
  it('shows the guestbook as it is tested', async () => {
    const shown = { ts: ["name: 'guestbook'", 'index.ts'], js: ['/guestbook/api/notes', 'pages/notes.js'] } as const
    for (const [language, [part, file]] of Object.entries(shown)) {
      const block = (await blocksOf('docs/plugins/pages.md', language))(part)
      expect(block).to.equal(await readFile(path.join(FOLDER, file), 'utf8'))
    }
  })
})
