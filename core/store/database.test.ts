import path from 'node:path'
import { expect } from 'chai'
import { findDatabase, type Database } from './database.ts'

const DATADIR = '/var/lib/sluice'

function find(dsn: string, dbtype = ''): Database {
  return findDatabase({ dsn, dbtype, datadir: DATADIR })
}

describe('the database that a config names', () => {
  const files: readonly (readonly [string, string])[] = [
    ['/srv/a b.db', '/srv/a b.db'],
    ['here.db', path.resolve('here.db')],
    ['sqlite:here.db', path.resolve('here.db')],
    ['sqlite:/srv/a.db', '/srv/a.db'],
    ['sqlite:///srv/a.db', '/srv/a.db'],
    ['file:/srv/a.db', '/srv/a.db'],
    [':memory:', ':memory:'],
    ['sqlite::memory:', ':memory:'],
  ]
  for (const [dsn, file] of files) {
    it(`is a file: ${dsn}`, () => {
      expect(find(dsn)).to.eql({ kind: 'sqlite', file, folder: undefined })
      expect(find(dsn, 'sqlite')).to.eql(find(dsn))
    })
  }

  it('is in the data folder unless it is named', () => {
    expect(find('')).to.eql({ kind: 'sqlite', file: `${DATADIR}/sluice.db`, folder: DATADIR })
  })

  it('is shown without its password', () => {
    for (const dsn of ['postgres://u:hush@db/sluice?sslmode=require', 'postgresql://db/sluice?password=hush']) {
      const database = find(dsn)
      expect(database).to.include({ kind: 'postgres', url: dsn })
      expect(database.kind === 'postgres' && database.shown)
        .to.include('db/sluice')
        .and.not.include('hush')
      expect(find(dsn, 'postgres')).to.eql(database)
    }
  })

  const refused: readonly (readonly [string, string, string])[] = [
    [
      'mysql://u:hush@db/sluice',
      '',
      "names a database of type 'mysql', and there are sqlite (the path of a file) and postgres",
    ],
    ['host=db password=hush', '', 'is not understood: write postgres://user:password@host/database'],
    ['postgres://u:hush@db:port/x', '', 'is no URL: write postgres://user:password@host/database'],
    [
      '/srv/hush.db',
      'postgres',
      'names no postgres database, as dbtype says: write postgres://user:password@host/database',
    ],
    ['', 'postgres', 'names no postgres database, as dbtype says: write postgres://user:password@host/database'],
    [
      'postgres://u:hush@db/x',
      'sqlite',
      'names no sqlite database, as dbtype says: write the path of a file, or leave dbtype empty',
    ],
    ['sqlite:', '', 'names no file after sqlite:'],
  ]
  for (const [dsn, dbtype, message] of refused) {
    it(`is none: ${dsn} ${dbtype}`, () => {
      expect(() => find(dsn, dbtype))
        .to.throw(message)
        .with.property('message')
        .that.does.not.include('hush')
    })
  }
})
