/** A version of the standard as `X-GB-ver` has it: 1.0 is of 2011, 1.1 its supplement, 2.0 of 2016, 3.0 of 2022 (annex I). */
export type GbVersion = (typeof VERSIONS)[number]

const VERSIONS = ['1.0', '1.1', '2.0', '3.0'] as const

/** The version of devices that state none: that of 2016, which knows the header but lets it be left out. */
const UNSTATED: GbVersion = '2.0'

/** The features that devices of an older version can't read, with the first version that can. */
const FIRST_VERSIONS = {
  ConfigDownload: '2.0',
  DeviceConfig: '2.0',
  HomePosition: '2.0',
  MobilePosition: '2.0',
  PresetQuery: '2.0',
  CruiseTrackListQuery: '3.0',
  CruiseTrackQuery: '3.0',
  DeviceUpgrade: '3.0',
  FormatSDCard: '3.0',
  HomePositionQuery: '3.0',
  IFrameCmd: '3.0',
  PTZCmdParams: '3.0',
  PTZPosition: '3.0',
  PTZPreciseCtrl: '3.0',
  SDCardStatus: '3.0',
  SnapShotConfig: '3.0',
  StreamNumber: '3.0',
  TargetTrack: '3.0',
} as const satisfies Readonly<Record<string, GbVersion>>

/** An element or a command that not all versions have. */
export type GbFeature = keyof typeof FIRST_VERSIONS

/** Reads the value of `X-GB-ver`: a number with or without its second part or a letter before it, or a year; undefined of others. */
export function parseGbVersion(text: string | undefined): GbVersion | undefined {
  const [, year] = /\b(2011|2016|2022)\b/u.exec(text ?? '') ?? []
  if (year !== undefined) return ({ 2011: '1.0', 2016: '2.0', 2022: '3.0' } as const)[year]
  const [, major, minor = '0'] = /^\s*v?(\d)(?:\.(\d))?/iu.exec(text ?? '') ?? []
  if (major === undefined) return undefined
  // A version that is not known yet reads what the newest that is known can.
  return VERSIONS.findLast((version) => version <= `${major}.${minor}`)
}

/** Negative when the first is older, 0 when they are the same. */
export function compareGbVersions(one: GbVersion, other: GbVersion): number {
  return VERSIONS.indexOf(one) - VERSIONS.indexOf(other)
}

/**
 * True when a device of a version can read it; the newer side has to leave out what the older can't (annex I).
 * @param version undefined of a device that states none
 */
export function knowsGbFeature(version: GbVersion | undefined, feature: GbFeature): boolean {
  return compareGbVersions(version ?? UNSTATED, FIRST_VERSIONS[feature]) >= 0
}
