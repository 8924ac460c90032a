import { basename, join } from 'node:path'
import { expect } from 'chai'
import { importsOf, readSource, sourceFiles, type SourceFile } from './source-tree.ts'

const MAX_LINES = 400
const MAX_TEST_LINES = 700
const PUBLIC_NAMES = ['sluice/sdk', 'sluice/sdk/http', 'sluice/sdk/media', 'sluice/sdk/testing', 'sluice/testing']
/** The names of the project that pages in browsers know: types alone. */
const PAGE_NAMES = ['sluice/sdk/console', 'sluice/api']
/** The modules of pages; those that build them run in Node. */
const PAGE = /^plugins\/[^/]+\/(?:app\/.*\/|app\/main|pages\/)/u
/** What the server and the fake host share, and no plugin imports. */
const HOST_NAME = 'sluice/sdk/host'
const ENTRY_POINTS = [
  'sdk/index.ts',
  'sdk/console/index.ts',
  'sdk/host/index.ts',
  'sdk/http/index.ts',
  'sdk/media/index.ts',
  'sdk/testing/index.ts',
  'core/testing/index.ts',
]

/** The rooms of the core, the lowest floor first: a room knows itself and those of lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ['build'],
  ['base'],
  ['net', 'observe', 'peers', 'store'],
  ['config'],
  ['auth', 'login'],
  ['stream'],
  ['host', 'http'],
  ['jobs'],
  ['admin'],
]

/** Names of protocols and containers that plugins have, in lower case. */
const PROTOCOLS = new Set(
  (
    'rtmp rtmps rtmpe rtsp rtsps rtspt srt webrtc whip whips whep wheps hls llhls hlsv7 m3u8 flv mp4 fmp4 annexb jsmpeg ' +
    'gb28181 webtransport onvif'
  ).split(' '),
)
/** Files and folders of the core and the command line that name some all the same, and why. */
const NAMING: Readonly<Record<string, string>> = {
  'core/admin/streams/track-operations.ts': 'api.md has the path /api/stream/annexb/{streamPath}',
  'core/config/undeclared.ts': 'config.md 1 has the sections of the family, which are known without their plugins',
  'cli/command-line.ts': 'examples of sections and keys, for people',
  'cli/service/unit-text.ts': 'RTSP has a port that only root may bind',
  'cli/ctl/': 'a client of the API: what it can ask for, and examples for people',
}

/** `sluice ctl` asks a server over HTTP. It loads none of it, and so is there at once. */
const CLIENT = ['./cli/ctl', './cli/terminal', './cli/command-error.ts', './cli/error-text.ts']

/** A device to test the plugin with, which is written apart from it so that both do not share a mistake. */
const DEVICE = './plugins/gb28181/device'

/** The part of the tree that a file may know by relative paths. */
function homeOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  if (first === 'plugins' || first === 'examples') return `./${first}/${second}`
  if (first === 'sdk' && ['console', 'media', 'testing'].includes(second)) return `./sdk/${second}`
  return `./${first}`
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function isOfClient(path: string): boolean {
  return CLIENT.some((place) => isBelow(path, place))
}

function allows(file: SourceFile, imported: string): boolean {
  const home = homeOf(file.path)
  if (imported.startsWith('./')) {
    if (home === './cli' && isBelow(imported, './core')) return !isOfClient(`./${file.path}`)
    if (isBelow(imported, home)) return home !== './sdk' || !/^\.\/sdk\/(?:console|testing)\//u.test(imported)
    if (home === './sdk/testing' || (home === './sdk' && isBelow(imported, './sdk/media'))) {
      return isBelow(imported, './sdk')
    }
    return file.isTest && isBelow(imported, './test')
  }
  if (PAGE.test(file.path) && !file.isTest) {
    return isBelow(imported, 'sluice') ? PAGE_NAMES.includes(imported) : !imported.startsWith('node:')
  }
  if (imported === HOST_NAME) return home === './core' || home === './test'
  if (isBelow(imported, 'sluice')) return !isBelow(home, './sdk') && PUBLIC_NAMES.includes(imported)
  return home !== './sdk/media' || file.isTest
}

/** The room of a file in the core; undefined for the files that put the rooms together, and outside the core. */
function roomOf(path: string): string | undefined {
  return /^(?:\.\/)?core\/([^/]+)\//u.exec(path)?.[1]
}

function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room))
}

/** Whether a file of the core may know another one. */
function standsAbove(path: string, imported: string): boolean {
  const from = roomOf(path)
  const to = roomOf(imported)
  if (from === undefined || from === to) return true
  return to !== undefined ? floorOf(to) < floorOf(from) : imported !== './core/server.ts'
}

function isKnownToDevice(imported: string): boolean {
  return isBelow(imported, DEVICE) || imported === 'sluice/sdk/media' || imported.startsWith('node:')
}

function isKnownToClient(imported: string): boolean {
  return isOfClient(imported) || imported.startsWith('node:') || imported === 'undici'
}

/** `export { a, type B } from './file.ts'` as pairs of name and file, following lists of lists. */
function exportedNames(entryPoint: string): { readonly name: string; readonly file: string }[] {
  const { text } = readSource(entryPoint)
  const folder = entryPoint.slice(0, entryPoint.lastIndexOf('/'))
  return [...text.matchAll(/export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gu)].flatMap(([, names = '', from = '']) => {
    const file = join(folder, from)
    const words = names.split(',').map((name) => name.trim())
    return words.filter((name) => name !== '').map((name) => ({ name: name.replace(/^type /u, ''), file }))
  })
}

/** Whether one of the declarations of a name follows a doc comment; a type and a value can share a name. */
function isDocumented(name: string, file: string): boolean {
  const declaration = new RegExp(
    String.raw`\*/\n(?:export )?(?:declare |abstract |async )*(?:class|function\*?|const|type|interface) ${name}\b`,
    'u',
  )
  return declaration.test(readSource(file).text)
}

describe('boundaries', () => {
  const files = sourceFiles('sdk', 'core', 'cli', 'plugins', 'examples')

  it('are found in a tree that is read', () => {
    expect(files.length).to.be.greaterThan(50)
    expect(files.flatMap(importsOf)).to.include.members(['sluice/sdk', './sdk/media/errors.ts'])
  })

  it('hold for every import: plugins → sdk ← core ← cli, media knows only itself', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !allows(file, imported))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(broken).to.eql([])
  })

  it('tell what is allowed from what is not', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['plugins/rtmp/index.ts', './plugins/rtmp/session.ts', true],
      ['plugins/rtmp/index.ts', './plugins/flv/session.ts', false],
      ['plugins/rtmp/index.ts', './core/server.ts', false],
      ['plugins/rtmp/index.ts', './cli/run.ts', false],
      ['plugins/rtmp/index.ts', './sdk/index.ts', false],
      ['plugins/rtmp/index.ts', 'sluice/sdk', true],
      ['plugins/rtmp/index.ts', 'sluice/sdk/media/errors.ts', false],
      ['plugins/rtmp/index.ts', 'sluice/sdk/host', false],
      ['core/http/http-host.ts', 'sluice/sdk/host', true],
      ['plugins/rtmp/index.ts', 'node:net', true],
      ['plugins/rtmp/index.ts', './test/peers/ffmpeg.ts', false],
      ['core/server.ts', './core/host/host.ts', true],
      ['core/server.ts', './sdk/index.ts', false],
      ['core/server.ts', './plugins/rtmp/index.ts', false],
      ['core/server.ts', './cli/run.ts', false],
      ['cli/run.ts', './core/server.ts', true],
      ['cli/run.ts', './cli/ctl/ctl.ts', true],
      ['cli/run.ts', 'sluice/sdk', true],
      ['cli/run.ts', './sdk/index.ts', false],
      ['cli/run.ts', './plugins/rtmp/index.ts', false],
      ['cli/ctl/ctl.ts', './cli/terminal/table.ts', true],
      ['cli/ctl/ctl.ts', './core/package-root.ts', false],
      ['cli/terminal/table.ts', './core/package-root.ts', false],
      ['sdk/index.ts', './cli/run.ts', false],
      ['sdk/index.ts', './sdk/media/errors.ts', true],
      ['sdk/index.ts', './sdk/testing/index.ts', false],
      ['sdk/index.ts', 'sluice/sdk', false],
      ['sdk/media/errors.ts', './sdk/errors/stream-errors.ts', false],
      ['sdk/media/errors.ts', 'node:net', false],
      ['sdk/testing/index.ts', './sdk/plugin/context.ts', true],
      ['sdk/index.ts', './sdk/console/index.ts', false],
      ['plugins/recording/pages/recordings.tsx', 'sluice/sdk/console', true],
      ['plugins/recording/pages/recordings.tsx', 'react', true],
      ['plugins/recording/pages/recordings.tsx', 'sluice/sdk', false],
      ['plugins/recording/pages/recordings.tsx', 'node:fs', false],
      ['plugins/recording/pages/recordings.tsx', './plugins/console/app/kit/problem.tsx', false],
      ['plugins/recording/index.ts', 'sluice/sdk/console', false],
      ['plugins/console/app/kit/problem.tsx', 'sluice/sdk', false],
      ['plugins/console/app/vite.config.ts', 'node:path', true],
      ['examples/greeter/greeter.ts', './examples/other/other.ts', false],
    ]
    for (const [path, imported, expected] of cases) {
      expect(allows({ path, text: '', isTest: false }, imported), `${path} imports ${imported}`).to.equal(expected)
    }
    expect(allows({ path: 'plugins/rtmp/test/a.test.ts', text: '', isTest: true }, './test/peers/ffmpeg.ts')).to.equal(
      true,
    )
  })
})

describe('the simulated device of GB/T 28181', () => {
  it('shares nothing with the plugin that it tests, but the media library', () => {
    const files = sourceFiles(DEVICE.slice(2)).filter(({ isTest }) => !isTest)
    expect(files.length).to.be.greaterThan(20)
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !isKnownToDevice(imported))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(broken).to.eql([])
    expect(['./plugins/gb28181/sip/message.ts', 'sluice/sdk', 'fast-xml-parser'].filter(isKnownToDevice)).to.eql([])
  })
})

describe('the floors of the core', () => {
  const files = sourceFiles('core').filter(({ isTest, path }) => !isTest && !path.includes('/testing/'))

  it('name every room', () => {
    const rooms = new Set(files.map(({ path }) => roomOf(path)).filter((room) => room !== undefined))
    expect([...rooms].toSorted()).to.eql(FLOORS.flat().toSorted())
  })

  it('are known only from above, types included', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !standsAbove(file.path, imported))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(broken).to.eql([])
  })

  it('tell what is allowed from what is not', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['core/stream/registry.ts', './core/auth/gate.ts', true],
      ['core/auth/gate.ts', './core/stream/registry.ts', false],
      ['core/host/generation/generation.ts', './core/http/http-host.ts', false],
      ['core/host/generation/generation.ts', './core/host/plugin-code.ts', true],
      ['core/config/config.ts', './core/package-root.ts', true],
      ['core/admin/stream-routes.ts', './core/server.ts', false],
      ['core/server.ts', './core/admin/stream-routes.ts', true],
      ['core/auth/gate.ts', 'sluice/sdk', true],
    ]
    for (const [path, imported, expected] of cases) {
      expect(standsAbove(path, imported), `${path} imports ${imported}`).to.equal(expected)
    }
  })
})

describe('sluice ctl', () => {
  it('knows nothing of the server', () => {
    const files = sourceFiles('cli').filter(({ path, isTest }) => !isTest && isOfClient(`./${path}`))
    expect(files.length).to.be.greaterThan(20)
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !isKnownToClient(imported))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(broken).to.eql([])
    expect(
      ['./core/admin/administration.ts', './cli/load-config.ts', 'sluice/sdk', 'yaml'].filter(isKnownToClient),
    ).to.eql([])
  })
})

/** The words of code and strings that are names of protocols; comments may have them. */
function protocolsIn(text: string): string[] {
  const code = text.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line))
  const names = code.join('\n').split(/[^A-Za-z\d]+/u)
  const words = names.flatMap((name) => [name, ...name.split(/(?<=[a-z\d])(?=[A-Z])/u)])
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => PROTOCOLS.has(word))
}

describe('the protocols', () => {
  const files = sourceFiles('core', 'cli').filter(({ isTest, path }) => !isTest && !path.includes('/testing/'))

  it('are known to no file of the core and the command line', () => {
    const naming = files.filter(({ path }) => !Object.keys(NAMING).some((place) => path.startsWith(place)))
    const broken = naming.flatMap(({ path, text }) => protocolsIn(text).map((name) => `${path} names ${name}`))
    expect(broken).to.eql([])
  })

  it('are told from other words', () => {
    expect(protocolsIn("const rtmpPort = 'a/SRT'\n// flv\n/** hls */\n * mp4\nFLV_TAG; HlsMuxer; short; rtp")).to.eql([
      'rtmp',
      'srt',
      'flv',
      'hls',
    ])
  })
})

describe('source tree', () => {
  const files = sourceFiles('sdk', 'core', 'cli', 'plugins', 'examples', 'scripts', 'test')

  it(`has no file past ${MAX_LINES} lines, no test past ${MAX_TEST_LINES}`, () => {
    const long = files
      .map(({ path, text, isTest }) => ({ path, lines: text.split('\n').length - 1, isTest }))
      .filter(({ lines, isTest }) => lines > (isTest ? MAX_TEST_LINES : MAX_LINES))
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).to.eql([])
  })

  it('has no file named by nothing', () => {
    const unnamed = /^(utils?|helpers?|misc|common)\.ts$/u
    expect(files.map(({ path }) => path).filter((path) => unnamed.test(basename(path)))).to.eql([])
  })

  it('documents every name of the sdk', () => {
    const names = ENTRY_POINTS.flatMap(exportedNames)
    expect(names.length).to.be.greaterThan(30)
    const missing = names.filter(({ name, file }) => !isDocumented(name, file))
    expect(missing.map(({ name, file }) => `${file}: ${name}`)).to.eql([])
  })
})
