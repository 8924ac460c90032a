import { expect } from 'chai'
import { Config } from './config.ts'
import { configErrorOf, configOf, problemLines, TempConfig } from './fixtures/temp-config.ts'

describe('the keys of the database', () => {
  it('show no password', async () => {
    const config = await configOf('global: { db: "postgres://u:hush@db/sluice" }')
    expect(config.global.db.dsn).to.equal('postgres://u:hush@db/sluice')
    const shown = [config.userConfig('global'), JSON.stringify(config.describe('global'))].join()
    expect(shown).to.include('db/sluice').and.not.include('hush')
  })

  it('can be set in the environment', async () => {
    const config = await configOf('', { SLUICE_GLOBAL_DB_DSN: '/srv/a.db', SLUICE_GLOBAL_DATADIR: '/srv' })
    expect(config.global.db).to.eql({ dsn: '/srv/a.db', dbtype: '' })
    expect(config.global.datadir).to.equal('/srv')
  })

  it('are refused where they contradict each other or name what there is not', async () => {
    const lines = async (text: string) => problemLines(await configErrorOf(() => configOf(text)))
    expect(await lines('global:\n  db:\n    dsn: mysql://u:hush@db/x')).to.eql([
      "config.yaml:3:5: global.db.dsn: names a database of type 'mysql', and there are sqlite (the path of a file) and postgres",
    ])
    expect(await lines('global:\n  db:\n    dsn: /srv/a.db\n    dbtype: postgres')).to.have.length(1)
    expect((await lines('global:\n  db:\n    dbtype: duckdb')).join()).to.include("'duckdb'")
  })

  it('are the defaults where they are wrong', async () => {
    await using temp = await TempConfig.create('global: { db: "mysql://u:hush@db/x" }')
    const config = await Config.load({ file: temp.file, env: {} })
    expect(config.problems).to.have.length(1)
    expect(config.global.db).to.eql({ dsn: '', dbtype: '' })
  })
})
