import { Groups } from '../groups/groups.ts'
import type { Platform } from '../platform.ts'
import { Snapshots } from '../snapshot/snapshots.ts'
import { addAlarmOperations } from './alarm-operations.ts'
import { addChannelOperations } from './channel-operations.ts'
import { addConfigOperations } from './config-operations.ts'
import { addControlOperations } from './control-operations.ts'
import { addDeviceOperations } from './device-operations.ts'
import { addDownloadOperations } from './download-operations.ts'
import { addFrontEndOperations } from './front-end-operations.ts'
import { addGroupOperations } from './group-operations.ts'
import { addInquiryOperations } from './inquiry-operations.ts'
import { addNewerOperations } from './newer-operations.ts'
import { addPlayOperations } from './play-operations.ts'
import { addPlaybackOperations } from './playback-operations.ts'
import { addPresetOperations } from './preset-operations.ts'
import { addProxyChannelOperations } from './proxy-channel-operations.ts'
import { addRecordOperations } from './record-operations.ts'
import { inBand } from './requests.ts'
import { addServerOperations } from './server-operations.ts'
import { addSnapshotOperations } from './snapshot-operations.ts'

/** Adds the operations of the plugin (api.md 7 and 7.2), and what they alone need. */
export function addOperations(platform: Platform): void {
  const { ctx } = platform
  const add = inBand(ctx.operations)
  const groups = new Groups(platform)
  const snapshots = new Snapshots(platform)
  if (ctx.config.automigrate) ctx.onDrain(ctx.database.onAvailable(() => groups.makeRoot()))
  addDeviceOperations(add, platform, groups)
  addInquiryOperations(add, platform)
  addControlOperations(add, platform)
  addConfigOperations(add, platform)
  addNewerOperations(add, platform)
  addChannelOperations(add, platform, groups)
  addProxyChannelOperations(add, platform, groups)
  addGroupOperations(add, platform, groups)
  addFrontEndOperations(add, platform)
  addPresetOperations(add, platform)
  addRecordOperations(add, platform)
  addAlarmOperations(add, platform)
  addPlayOperations(add, platform)
  addPlaybackOperations(add, platform)
  addDownloadOperations(add, platform)
  addSnapshotOperations(add, platform, snapshots)
  addServerOperations(add, platform)
}
