import { expect } from 'chai'
import { StorageMissing, type AlarmNotice, type WriteFailure } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { StorageWatch } from './storage-watch.ts'

class FakeStorage {
  readonly root: string
  lookError: Error | undefined
  probeError: Error | undefined
  probes = 0
  failed: (failure: WriteFailure) => void = () => {}

  constructor(root: string) {
    this.root = root
  }

  look(): Promise<void> {
    return this.lookError === undefined ? Promise.resolve() : Promise.reject(this.lookError)
  }

  probe(): Promise<void> {
    this.probes += 1
    return this.probeError === undefined ? Promise.resolve() : Promise.reject(this.probeError)
  }

  onFailure(listener: (failure: WriteFailure) => void): () => void {
    this.failed = listener
    return () => {}
  }
}

const systemError = (code: string) => Object.assign(new Error(code), { code })

describe('StorageWatch', () => {
  let local: FakeStorage
  let backup: FakeStorage
  let alarms: AlarmNotice[]
  let happened: string[]
  let logged: LogRecords

  function createWatch(isWanted = false): StorageWatch {
    logged = new LogRecords('recording')
    return new StorageWatch({
      log: logged.logger,
      local,
      backup,
      isWanted: () => isWanted,
      alarm: (alarm) => alarms.push(alarm),
      lost: (reason) => happened.push(`lost: ${reason}`),
      returned: (place) => happened.push(`returned: ${place}`),
    })
  }

  beforeEach(() => {
    local = new FakeStorage('/disk')
    backup = new FakeStorage('/archive')
    ;[alarms, happened] = [[], []]
  })

  it('says once that a storage is not there, with what helps, and that it is back', async () => {
    const watch = createWatch()
    await watch.look()
    expect([watch.isWell, watch.problem, logged.records]).to.eql([true, undefined, []])
    local.lookError = new StorageMissing('/disk has no marker: mount it')
    await watch.look()
    await watch.look()
    expect([watch.isWell, watch.isThere('local'), watch.isThere('backup')]).to.eql([false, false, true])
    expect(watch.problem).to.equal('the storage is not there at present')
    expect(logged.records).to.have.length(1)
    expect(logged.records[0]).to.include({ reason: '/disk has no marker: mount it', place: 'local' })
    local.lookError = undefined
    await watch.look()
    expect([watch.isWell, watch.isThere('local'), watch.problem]).to.eql([true, true, undefined])
    expect(happened).to.eql(['lost: the storage is not there at present', 'returned: local'])
    expect(alarms.map(({ name, type }) => [name, type])).to.eql([
      ['storage_lost', 0x10010],
      ['storage_back', 0x10011],
    ])
    expect(JSON.stringify(alarms)).not.to.contain('/disk')
  })

  it('lets recordings go on while the backup is not there', async () => {
    const watch = createWatch()
    backup.lookError = new StorageMissing('/archive is not there')
    await watch.look()
    expect([watch.isWell, watch.problem, watch.isThere('backup')]).to.eql([false, undefined, false])
    expect([happened, alarms.length]).to.eql([[], 1])
  })

  it('finds out whether it is the storage that takes no file, and when it does again', async () => {
    const watch = createWatch()
    local.probeError = systemError('EROFS')
    local.failed({ file: '/disk/live/a.mp4', code: 'EROFS' })
    local.failed({ file: '/disk/live/b.mp4', code: 'EROFS' })
    await watch.look()
    expect(watch.problem).to.equal('the storage cannot be written: EROFS')
    expect(watch.isThere('local')).to.equal(true)
    local.failed({ file: '/disk/live/c.mp4', code: 'EROFS' })
    const [told, ...others] = logged.records
    expect(told).to.include({ file: '/disk/live/a.mp4', code: 'EROFS' })
    expect(others).to.have.length(1)
    expect(JSON.stringify(others)).to.match(/in \/disk \(EROFS\): .*global\.storage\.local/u)
    local.probeError = undefined
    await watch.look()
    expect(happened).to.eql(['lost: the storage cannot be written: EROFS', 'returned: local'])
  })

  it('takes the failure of one file for no more, and a full disk for none', async () => {
    const watch = createWatch()
    local.failed({ file: '/disk/x/a.mp4', code: 'EACCES' })
    await watch.look()
    expect([watch.isWell, local.probes]).to.eql([true, 1])
    local.failed({ file: '/disk/x/a.mp4', code: 'ENOSPC' })
    await watch.look()
    expect(local.probes).to.equal(1)
    local.probeError = systemError('ENOSPC')
    local.failed({ file: '/disk/x/a.mp4', code: 'EIO' })
    await watch.look()
    expect([watch.isWell, happened]).to.eql([true, []])
  })

  it('tries the storage at the start where it is going to be used', async () => {
    local.probeError = systemError('EACCES')
    for (const isWanted of [false, true]) {
      const watch = createWatch(isWanted)
      await watch.start()
      expect(watch.isWell).to.equal(!isWanted)
      await watch.close()
    }
  })
})
