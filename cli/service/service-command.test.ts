import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { rejectionOf } from '../../test/support/rejection.ts'
import type { Machine } from './machine.ts'
import { serviceDone, type Program, type ServiceAction } from './service-command.ts'

type InstallOptions = Partial<Omit<Extract<ServiceAction, { readonly verb: 'install' }>, 'verb'>>

const INSTALL = { verb: 'install', isOwn: false, print: false, force: false, recordings: undefined } as const

describe('sluice service', () => {
  let root: string
  let unit: string
  let program: Program
  /** The programs that were run, with their arguments. */
  let ran: string[]
  let machine: Machine
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    unit = path.join(root, 'etc/systemd/system/sluice.service')
    await chmod(root, 0o755)
    await mkdir(path.join(root, 'opt'))
    program = { node: path.join(root, 'opt/node'), script: path.join(root, 'opt/sluice.js') }
    for (const file of [program.node, program.script]) await writeFile(file, '')
    ran = []
    machine = {
      isRoot: true,
      isBooted: true,
      root,
      configHome: path.join(root, 'me/.config'),
      run(name, args) {
        ran.push([name, ...args].join(' '))
        // The user of the tests can't give files to another user.
        const ids: Readonly<Record<string, number | undefined>> = { '-u': process.getuid?.(), '-g': process.getgid?.() }
        return { isDone: true, stdout: name === 'id' ? `${ids[args[0] ?? '']}\n` : '', stderr: '' }
      },
    }
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const service = (action: ServiceAction, configFile?: string) => serviceDone({ action, configFile, program, machine })
  const install = (options: InstallOptions = {}, configFile?: string) => service({ ...INSTALL, ...options }, configFile)
  const refusal = async (...args: Parameters<typeof install>) => (await rejectionOf(install(...args))).message
  const unitLines = async () => (await readFile(unit, 'utf8')).split('\n')
  async function config(text: string): Promise<string> {
    const file = path.join(root, 'opt/mine.yaml')
    await writeFile(file, text)
    return file
  }

  it('writes a unit that keeps data and recordings, and a config to change', async () => {
    const said = await install()
    expect(said).to.include(`Wrote ${unit}`).and.include('systemctl enable --now sluice')
    const file = path.join(root, 'etc/sluice/config.yaml')
    expect(await unitLines()).to.include.members([
      `ExecStart=${program.node} --max-semi-space-size=1 ${program.script} -c ${file}`,
      'StateDirectory=sluice',
      'CacheDirectory=sluice',
      'Environment=NODE_COMPILE_CACHE=%C/sluice',
      'Environment=SLUICE_GLOBAL_DATADIR=%S/sluice',
      'Environment=SLUICE_GLOBAL_STORAGE_LOCAL_PATH=%S/sluice/recordings',
      'User=sluice',
      'ProtectSystem=strict',
    ])
    expect(await readFile(file, 'utf8')).to.equal(await readFile('config/config.yaml', 'utf8'))
    expect((await stat(file)).mode & 0o777).to.equal(0o640)
    expect(ran.at(-1)).to.equal('systemctl daemon-reload')
  })

  it('changes nothing the second time, and a unit of its own without being asked twice', async () => {
    await install()
    const first = await unitLines()
    expect(await install()).to.include('Nothing to change')
    expect(await unitLines()).to.eql(first)
    program = { ...program, script: path.join(root, 'opt/newer.js') }
    await writeFile(program.script, '')
    expect(await install()).to.include('Wrote')
    expect(await unitLines()).to.include(
      `ExecStart=${program.node} --max-semi-space-size=1 ${program.script} -c ${root}/etc/sluice/config.yaml`,
    )
    expect(await readdir(path.dirname(unit))).to.eql(['sluice.service'])
  })

  it('leaves a unit alone that was edited, unless it is forced to, and keeps that', async () => {
    await install()
    const edited = `${await readFile(unit, 'utf8')}\n# mine\n`
    await writeFile(unit, edited)
    expect(await refusal()).to.include('was edited: --force')
    expect(await readFile(unit, 'utf8')).to.equal(edited)
    expect(await service({ verb: 'show', isOwn: false })).to.equal(`# ${unit} (edited)\n${edited}`)
    const remove = { verb: 'remove', isOwn: false, force: false } as const
    expect((await rejectionOf(service(remove))).message).to.include('was edited: --force')
    const kept = /; the one that was edited is (\S+)/u.exec(await install({ force: true }))?.[1] ?? ''
    expect(kept).to.match(/sluice\.service\.bak\.\d{14}$/u)
    expect(await readFile(kept, 'utf8')).to.equal(edited)
    expect(await service({ verb: 'show', isOwn: false })).not.to.include('edited)')
  })

  it('has the folders that are named written to, and waits until they are mounted', async () => {
    const recordings = path.join(root, 'mnt/my recordings')
    await install({ recordings })
    expect(await unitLines()).to.include.members([
      `RequiresMountsFor="${recordings}"`,
      `ReadWritePaths="${recordings}"`,
      `Environment="SLUICE_GLOBAL_STORAGE_LOCAL_PATH=${recordings}"`,
    ])
    expect((await stat(recordings)).isDirectory()).to.equal(true)
    expect(await refusal({ recordings: 'here' })).to.include('--recordings takes a path from the root')
  })

  it('keeps the folder and the config that were named, until others are', async () => {
    const recordings = path.join(root, 'srv/recordings')
    const file = await config('')
    await install({ recordings }, file)
    const first = await unitLines()
    expect(await install()).to.include('Nothing to change')
    expect(await unitLines()).to.eql(first)
    await install({ recordings: '' })
    const lines = await unitLines()
    expect(lines).to.include('Environment=SLUICE_GLOBAL_STORAGE_LOCAL_PATH=%S/sluice/recordings')
    expect(lines.find((line) => line.startsWith('ExecStart='))).to.include(` -c ${file}`)
  })

  it('takes no path that would be another line of the unit', async () => {
    expect(await refusal({ recordings: `${root}/a\nUser=root` })).to.include('line break')
  })

  it('leaves what the config names as it is', async () => {
    const [data, backup] = [path.join(root, 'srv/data'), path.join(root, 'mnt/backup')]
    const file = await config(
      `global: { datadir: ${data}, storage: { local: { path: tapes, backuppath: ${backup} } } }`,
    )
    await install({}, file)
    const lines = await unitLines()
    expect(lines).to.include(`RequiresMountsFor=${data} ${backup}`).and.include(`ReadWritePaths=${data} ${backup}`)
    expect(lines.filter((line) => line.startsWith('Environment='))).to.eql([
      'Environment=NODE_COMPILE_CACHE=%C/sluice',
      'Environment=NODE_ENV=production',
    ])
  })

  it('tells of a folder that is not the service user’s', async () => {
    const recordings = path.join(root, 'srv/recordings')
    await mkdir(recordings, { recursive: true })
    const { run } = machine
    machine = { ...machine, run: (name, args) => ({ ...run(name, args), ...(name === 'id' && { stdout: '12345' }) }) }
    const file = await config('')
    expect(await install({ recordings }, file)).to.include(`chown -R sluice: '${recordings}'`)
  })

  it('prints a unit, and writes nothing', async () => {
    machine = { ...machine, isBooted: false, isRoot: false }
    expect(await install({ print: true })).to.include('\n[Service]\nExecStart=')
    expect([ran, await readdir(root)]).to.eql([[], ['opt']])
  })

  it('is one of whoever installs it, without root', async () => {
    machine = { ...machine, isRoot: false }
    expect(await install({ isOwn: true })).to.include('systemctl --user enable --now sluice')
    unit = path.join(machine.configHome, 'systemd/user/sluice.service')
    const lines = await unitLines()
    expect(lines).to.include('WantedBy=default.target').and.not.include('User=sluice')
    expect(lines).to.include('CacheDirectory=sluice').and.include('Environment=NODE_COMPILE_CACHE=%C/sluice')
    expect(ran).to.eql(['systemctl --user daemon-reload'])
  })

  it('is removed, with nothing else', async () => {
    await install()
    await service({ verb: 'remove', isOwn: false, force: false })
    expect(ran.slice(-2)).to.eql(['systemctl disable --now sluice.service', 'systemctl daemon-reload'])
    expect(await readdir(path.dirname(unit))).to.eql([])
    expect(await readdir(path.join(root, 'etc/sluice'))).to.eql(['config.yaml'])
    for (const action of [
      { verb: 'show', isOwn: false } as const,
      { verb: 'remove', isOwn: false, force: false } as const,
    ]) {
      expect((await rejectionOf(service(action))).message)
        .to.include('there is no')
        .and.include('service install')
    }
  })

  it('is still there when it is stopped, also where it was edited', async () => {
    await install()
    await writeFile(unit, '[Service]\n')
    const { run } = machine
    let found: readonly string[] = []
    machine = {
      ...machine,
      run(name, args) {
        if (args.includes('disable')) found = readdirSync(path.dirname(unit))
        return run(name, args)
      },
    }
    const said = await service({ verb: 'remove', isOwn: false, force: true })
    expect(found).to.eql(['sluice.service'])
    expect(said).to.match(/the one that was edited is \S+\.bak\.\d{14}$/mu)
  })

  it('has systemd make the user, and says how to where that fails', async () => {
    let isThere = false
    const { run } = machine
    machine = {
      ...machine,
      run(name, args) {
        const result = run(name, args)
        if (name === 'systemd-sysusers') isThere = args[1]?.startsWith('u sluice ') === true
        return name === 'id' ? { ...result, isDone: isThere } : result
      },
    }
    await install()
    expect(ran.some((line) => line.startsWith('systemd-sysusers --inline u sluice'))).to.equal(true)
    await rm(unit)
    machine = { ...machine, run: () => ({ isDone: false, stdout: '', stderr: 'read-only' }) }
    expect(await refusal()).to.include('(read-only); make it by hand: useradd')
  })

  const obstacles: readonly { what: string; says: string; prepare: () => unknown; config?: string }[] = [
    { what: 'without root', says: 'only root writes', prepare: () => (machine = { ...machine, isRoot: false }) },
    { what: 'without systemd', says: '--print', prepare: () => (machine = { ...machine, isBooted: false }) },
    { what: 'without the config', says: 'there is no', prepare: () => {}, config: '/none/config.yaml' },
    {
      what: 'with a program that others may not read',
      says: 'chmod o+x',
      prepare: () => chmod(path.join(root, 'opt'), 0o700),
    },
    {
      what: 'from the cache of npx',
      says: 'npm install --prefix',
      async prepare() {
        program = { ...program, script: path.join(root, 'opt/_npx/1/sluice.js') }
        await mkdir(path.dirname(program.script), { recursive: true })
      },
    },
    {
      what: 'from a home',
      says: 'put it elsewhere, or use --user',
      prepare: () => (program = { ...program, script: path.join(root, 'home/me/sluice.js') }),
    },
  ]
  for (const { what, says, prepare, config: configFile } of obstacles) {
    it(`is not installed ${what}`, async () => {
      await prepare()
      expect(await refusal({}, configFile)).to.include(says)
      expect(await readdir(root)).not.to.include('etc')
    })
  }

  it('tells what is wrong with the config, or with systemd', async () => {
    expect(await refusal({}, await config('global: {'))).to.include('mine.yaml:1')
    machine = { ...machine, run: (name) => ({ isDone: name === 'id', stdout: '0', stderr: 'no bus' }) }
    expect(await refusal({ isOwn: true })).to.include('systemctl --user daemon-reload failed: no bus')
  })
})
