import { chromium, type Browser } from 'playwright-core'
import { keep } from './lifetime.ts'
import { findProgram } from './peers.ts'

const ARGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
]

/**
 * Starts a Chromium without a window; it ends with the test that started it, at the latest.
 * @param executablePath a program that starts it, by default its own
 */
export async function openChromium(
  extraArgs: readonly string[] = [],
  executablePath = findProgram('chromium'),
): Promise<Browser> {
  if (executablePath === undefined) throw new Error('chromium is not installed')
  const browser = await chromium.launch({ executablePath, args: [...ARGS, ...extraArgs] })
  const letGo = keep(browser)
  browser.on('disconnected', letGo)
  return browser
}
