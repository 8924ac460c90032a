#!/usr/bin/env node
// Runs the Node of the server with the arguments of this program, for the scripts of this package and of plugins' projects: some
// versions of npm leave out the link to that Node.
import { becomeNode } from './runtime.js'

becomeNode(process.argv.slice(2))
