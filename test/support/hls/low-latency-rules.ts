import { allSegments, tagNamed, type ListedMedia, type ListedSegment } from './listed-media.ts'
import type { Violation } from './playlist-lines.ts'

export type MediaPlaylistKind = {
  readonly format: 'fmp4' | 'ts'
  /** It has parts, and what goes with them. */
  readonly lowLatency?: boolean
}

const MIN_PART_SHARE = 0.85
const PART_HOLD_BACK_PARTS = 3
const HOLD_BACK_TARGETS = 3
const SKIP_TARGETS = 6
const PARTS_WITHIN_TARGETS = 3
/** What decimal places may lose. */
const TOLERANCE_SECONDS = 1e-5

function* checkPartTarget(playlist: ListedMedia, { lowLatency }: MediaPlaylistKind): Generator<Violation> {
  const { partTargetSeconds } = playlist
  const part = allSegments(playlist).flatMap(({ parts }) => parts)[0]
  if (lowLatency && !part && !playlist.ended) yield { rule: 'parts', line: 1, detail: 'there are none' }
  if (!part && partTargetSeconds === undefined) return
  if (partTargetSeconds === undefined || !(partTargetSeconds > 0)) {
    yield { rule: 'part-target', line: part?.line ?? 1, detail: String(partTargetSeconds) }
  }
}

function* checkParts(playlist: ListedMedia): Generator<Violation> {
  const { partTargetSeconds: target = Number.POSITIVE_INFINITY } = playlist
  const segments = allSegments(playlist)
  for (const { parts } of segments) {
    for (const [index, { line, uri, durationSeconds }] of parts.entries()) {
      const mayBeShort = index === parts.length - 1 || target === Number.POSITIVE_INFINITY
      if (uri === '') yield { rule: 'part', line, detail: 'no URI' }
      if (!(durationSeconds > 0)) yield { rule: 'part', line, detail: 'no duration' }
      if (durationSeconds > target + TOLERANCE_SECONDS) {
        yield { rule: 'part-duration', line, detail: `${durationSeconds} of at most ${target}` }
      } else if (!mayBeShort && durationSeconds < MIN_PART_SHARE * target - TOLERANCE_SECONDS) {
        yield { rule: 'part-duration', line, detail: `${durationSeconds} is less than 85 % of ${target}` }
      }
    }
  }
  yield* checkPartsOfSegments(playlist)
  yield* checkOldParts(playlist, segments)
}

function* checkPartsOfSegments(playlist: ListedMedia): Generator<Violation> {
  const independent = tagNamed(playlist, 'EXT-X-INDEPENDENT-SEGMENTS') !== undefined
  for (const { line, uri, durationSeconds, parts } of allSegments(playlist)) {
    const [first] = parts
    if (!first) continue
    if (independent && !first.independent) {
      yield { rule: 'part-independent', line: first.line, detail: 'the first part of an independent segment' }
    }
    const sumSeconds = parts.reduce((sum, part) => sum + part.durationSeconds, 0)
    if (uri !== undefined && Math.abs(sumSeconds - durationSeconds) > TOLERANCE_SECONDS * (parts.length + 1)) {
      yield { rule: 'parts-sum', line, detail: `parts of ${sumSeconds} s in a segment of ${durationSeconds} s` }
    }
  }
}

function* checkOldParts(playlist: ListedMedia, segments: readonly ListedSegment[]): Generator<Violation> {
  let toEndSeconds = 0
  for (const { line, uri, durationSeconds, parts } of segments.toReversed()) {
    if (parts.length > 0 && toEndSeconds > PARTS_WITHIN_TARGETS * playlist.targetDurationSeconds) {
      yield { rule: 'old-parts', line, detail: `parts ${toEndSeconds} s before the end` }
    }
    toEndSeconds += uri === undefined ? parts.reduce((sum, part) => sum + part.durationSeconds, 0) : durationSeconds
  }
}

function* checkHint(playlist: ListedMedia, { lowLatency }: MediaPlaylistKind): Generator<Violation> {
  const hints = playlist.tags.filter(({ name }) => name === 'EXT-X-PRELOAD-HINT')
  const listed = new Set(allSegments(playlist).flatMap(({ parts }) => parts.map(({ uri }) => uri)))
  const ofPart = hints.filter(({ attributes }) => attributes.get('TYPE') === 'PART')
  if (lowLatency && !playlist.ended && ofPart.length === 0) yield { rule: 'hint', line: 1, detail: 'missing' }
  for (const { line } of ofPart.slice(1)) yield { rule: 'hint', line, detail: 'another one' }
  for (const { line, attributes } of hints) {
    const uri = attributes.get('URI')
    const type = attributes.get('TYPE') ?? ''
    if (playlist.ended) yield { rule: 'hint', line, detail: 'after the end' }
    if (uri === undefined || !['MAP', 'PART'].includes(type)) yield { rule: 'hint', line, detail: `${type} ${uri}` }
    else if (listed.has(uri)) yield { rule: 'hint', line, detail: `${uri} is there already` }
  }
}

function* checkReports(playlist: ListedMedia): Generator<Violation> {
  for (const { line, name, attributes } of playlist.tags) {
    if (name !== 'EXT-X-RENDITION-REPORT') continue
    const uri = attributes.get('URI')
    if (uri === undefined || /^[a-z]+:/u.test(uri)) yield { rule: 'report', line, detail: `URI ${uri}` }
    for (const key of ['LAST-MSN', 'LAST-PART']) {
      const value = attributes.get(key)
      const needed = key === 'LAST-MSN' || playlist.partTargetSeconds !== undefined
      if (value === undefined ? needed : !/^\d+$/u.test(value))
        yield { rule: 'report', line, detail: `${key} ${value}` }
    }
  }
}

function* checkControl(playlist: ListedMedia, { lowLatency }: MediaPlaylistKind): Generator<Violation> {
  const { targetDurationSeconds: target, partTargetSeconds: partTarget, skippedSegments } = playlist
  const tag = tagNamed(playlist, 'EXT-X-SERVER-CONTROL')
  const line = tag?.line ?? 1
  const value = (key: string) => {
    const text = tag?.attributes.get(key)
    return text === undefined ? undefined : Number(text)
  }
  if (lowLatency && tag?.attributes.get('CAN-BLOCK-RELOAD') !== 'YES') {
    yield { rule: 'block-reload', line, detail: 'parts without CAN-BLOCK-RELOAD=YES' }
  }
  const minima = [
    ['part-hold-back', 'PART-HOLD-BACK', PART_HOLD_BACK_PARTS * (partTarget ?? 0), lowLatency === true],
    ['hold-back', 'HOLD-BACK', HOLD_BACK_TARGETS * target, false],
    ['can-skip-until', 'CAN-SKIP-UNTIL', SKIP_TARGETS * target, skippedSegments > 0],
  ] as const
  for (const [rule, key, least, needed] of minima) {
    const seconds = value(key)
    if (seconds === undefined ? needed : seconds < least - TOLERANCE_SECONDS) {
      yield { rule, line, detail: `${seconds} of at least ${least}` }
    }
  }
  const skip = tagNamed(playlist, 'EXT-X-SKIP')
  if (skip && !(skippedSegments >= 1)) yield { rule: 'skip', line: skip.line, detail: skip.value }
}

/** The rules for parts and for what servers can do, each of a media playlist. */
export const LOW_LATENCY_RULES = [checkPartTarget, checkParts, checkHint, checkReports, checkControl]
