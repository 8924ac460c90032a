import { InvalidRequest, StreamUnavailable, WorkQueue, type Kysely } from 'sluice/sdk'
import { GroupUnknown } from '../errors.ts'
import type { GbContext } from '../plugin-context.ts'
import type { GbTables } from '../registry/tables.ts'

/** The most groups, and the most channels in one. */
const MAX_GROUPS = 10_000
const MAX_MEMBERS = 100_000
/** The most levels below the root. */
const MAX_LEVELS = 32
/** Rows that one statement inserts: databases limit the values of a statement. */
const ROWS_AT_ONCE = 1000
/** The group above the root. */
const NONE = 0
const ROOT_NAME = 'root'

/** A group of channels. Times are Unix milliseconds. */
export type Group = {
  readonly id: number
  /** The group above; 0 of the root. */
  readonly pid: number
  readonly name: string
  readonly createdMs: number
  readonly updatedMs: number
}

/** The changes of a group; a field that is undefined stays. */
type GroupChanges = { readonly pid?: number | undefined; readonly name?: string | undefined }

/** A channel by its ids. */
export type MemberIds = { readonly deviceId: string; readonly channelId: string }

/** A channel in a group. */
export type GroupMember = MemberIds & { readonly id: number; readonly groupId: number }

/** The groups of channels, which are a tree with one root. Each method rejects with `StoreUnavailable` without a database. */
export class Groups {
  readonly #db: Kysely<GbTables>
  /** One change at a time: each is checked against all groups as they are. */
  readonly #changes = new WorkQueue({ working: 1 })

  constructor({ ctx }: { readonly ctx: Pick<GbContext, 'store'> }) {
    this.#db = ctx.store<GbTables>()
  }

  /** Makes the root where there is none. */
  async makeRoot(): Promise<void> {
    const root = this.#db.selectFrom('gb28181_group').select('id').where('pid', '=', NONE)
    if ((await root.executeTakeFirst()) === undefined) await this.#insert(NONE, ROOT_NAME)
  }

  /** All groups, by their ids. */
  async all(): Promise<Group[]> {
    const rows = await this.#db.selectFrom('gb28181_group').selectAll().orderBy('id').execute()
    return rows.map(({ id, pid, name, created_ms, updated_ms }) => {
      return { id, pid, name, createdMs: created_ms, updatedMs: updated_ms }
    })
  }

  /** The channels in some groups, in the order in which they were added. */
  async members(groupIds: readonly number[]): Promise<GroupMember[]> {
    if (groupIds.length === 0) return []
    const rows = await this.#db
      .selectFrom('gb28181_group_channel')
      .selectAll()
      .where('group_id', 'in', groupIds)
      .orderBy('id')
      .execute()
    return rows.map(({ id, group_id, device_id, channel_id }) => {
      return { id, groupId: group_id, deviceId: device_id, channelId: channel_id }
    })
  }

  /**
   * Adds a group below another.
   * @returns its id
   * @throws {InvalidRequest} for another root
   * @throws {GroupUnknown} when there is no group above
   * @throws {StreamUnavailable} when there are too many, or too many levels
   */
  add({ pid, name }: Pick<Group, 'pid' | 'name'>): Promise<number> {
    return this.#changes.run(async () => {
      if (pid === NONE) throw new InvalidRequest('pid must be that of a group: there is one root')
      const groups = await this.all()
      groupIn(groups, pid)
      assertLevels(levelOf(groups, pid) + 1)
      if (groups.length >= MAX_GROUPS) throw new StreamUnavailable(`there are ${MAX_GROUPS} groups already`)
      return this.#insert(pid, name)
    })
  }

  /**
   * Renames a group, or moves it below another.
   * @throws {GroupUnknown}
   * @throws {InvalidRequest} for the root, and when it would be below itself
   * @throws {StreamUnavailable} when there would be too many levels
   */
  update(id: number, changes: GroupChanges): Promise<void> {
    return this.#changes.run(() => this.#update(id, changes))
  }

  async #update(id: number, changes: GroupChanges): Promise<void> {
    const groups = await this.all()
    const group = groupIn(groups, id)
    if (group.pid === NONE) throw new InvalidRequest('the root can not be changed')
    const { pid = group.pid, name = group.name } = changes
    groupIn(groups, pid)
    if (subtreeOf(groups, id).has(pid)) throw new InvalidRequest('pid: a group can not be below itself')
    assertLevels(levelOf(groups, pid) + 1 + heightOf(groups, id))
    const row = { pid, name, updated_ms: Date.now() }
    await this.#db.updateTable('gb28181_group').set(row).where('id', '=', id).execute()
  }

  /**
   * Removes a group with those below it, and says no more which channels were in them.
   * @throws {GroupUnknown}
   * @throws {InvalidRequest} for the root
   */
  remove(id: number): Promise<void> {
    return this.#changes.run(() => this.#remove(id))
  }

  async #remove(id: number): Promise<void> {
    const groups = await this.all()
    if (groupIn(groups, id).pid === NONE) throw new InvalidRequest('the root can not be deleted')
    const gone = [...subtreeOf(groups, id)]
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('gb28181_group_channel').where('group_id', 'in', gone).execute()
      await transaction.deleteFrom('gb28181_group').where('id', 'in', gone).execute()
    })
  }

  /**
   * Puts these channels into a group in place of those that are in it.
   * @throws {GroupUnknown}
   * @throws {StreamUnavailable} when they are too many
   */
  async setMembers(groupId: number, members: readonly MemberIds[]): Promise<void> {
    groupIn(await this.all(), groupId)
    assertMembers(members.length)
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('gb28181_group_channel').where('group_id', '=', groupId).execute()
      await insertMembers(transaction, groupId, members)
    })
  }

  /**
   * Puts channels into a group beside those that are in it.
   * @throws {GroupUnknown}
   * @throws {StreamUnavailable} when they would be too many
   */
  addMembers(groupId: number, members: readonly MemberIds[]): Promise<void> {
    return this.#changes.run(async () => {
      groupIn(await this.all(), groupId)
      const former = await this.members([groupId])
      assertMembers(former.length + members.length)
      await this.#db.transaction().execute((transaction) => insertMembers(transaction, groupId, members))
    })
  }

  /** Takes channels out of a group. @throws {GroupUnknown} */
  async removeMembers(groupId: number, members: readonly MemberIds[]): Promise<void> {
    groupIn(await this.all(), groupId)
    await this.#db.transaction().execute(async (transaction) => {
      for (const { deviceId, channelId } of members) {
        await transaction
          .deleteFrom('gb28181_group_channel')
          .where('group_id', '=', groupId)
          .where('device_id', '=', deviceId)
          .where('channel_id', '=', channelId)
          .execute()
      }
    })
  }

  /** Takes a channel out of all groups, or all channels of a device. */
  async forget({ deviceId, channelId }: { readonly deviceId: string; readonly channelId?: string }): Promise<void> {
    const gone = this.#db.deleteFrom('gb28181_group_channel').where('device_id', '=', deviceId)
    await (channelId === undefined ? gone : gone.where('channel_id', '=', channelId)).execute()
  }

  async #insert(pid: number, name: string): Promise<number> {
    const nowMs = Date.now()
    const row = { pid, name, created_ms: nowMs, updated_ms: nowMs }
    const added = this.#db.insertInto('gb28181_group').values(row).returning('id')
    return (await added.executeTakeFirstOrThrow()).id
  }
}

/** @throws {GroupUnknown} */
export function groupIn(groups: readonly Group[], id: number): Group {
  const group = groups.find((each) => each.id === id)
  if (group === undefined) throw new GroupUnknown(id)
  return group
}

async function insertMembers(db: Kysely<GbTables>, groupId: number, members: readonly MemberIds[]): Promise<void> {
  const rows = members.map(({ deviceId, channelId }) => {
    return { group_id: groupId, device_id: deviceId, channel_id: channelId }
  })
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('gb28181_group_channel')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) => conflict.columns(['group_id', 'device_id', 'channel_id']).doNothing())
      .execute()
  }
}

/** @throws {StreamUnavailable} */
function assertMembers(count: number): void {
  if (count > MAX_MEMBERS) throw new StreamUnavailable(`a group has at most ${MAX_MEMBERS} channels`)
}

/** The level of a group: 0 of the root. */
export function levelOf(groups: readonly Group[], id: number): number {
  const parents = new Map(groups.map((group) => [group.id, group.pid]))
  let level = -1
  for (let at = id; at !== NONE && level <= MAX_LEVELS; at = parents.get(at) ?? NONE) level += 1
  return level
}

/** The number of levels below a group. */
function heightOf(groups: readonly Group[], id: number): number {
  const below = Map.groupBy(groups, ({ pid }) => pid)
  let height = 0
  for (let level = below.get(id) ?? []; level.length > 0; height += 1) {
    level = level.flatMap((group) => below.get(group.id) ?? [])
  }
  return height
}

/** @throws {StreamUnavailable} */
function assertLevels(level: number): void {
  if (level > MAX_LEVELS) throw new StreamUnavailable(`groups have at most ${MAX_LEVELS} levels below the root`)
}

/** The ids of a group and of all below it. */
function subtreeOf(groups: readonly Group[], id: number): ReadonlySet<number> {
  const below = Map.groupBy(groups, ({ pid }) => pid)
  const ids = new Set([id])
  // What is added while it is walked is walked, too.
  for (const above of ids) for (const group of below.get(above) ?? []) ids.add(group.id)
  return ids
}
