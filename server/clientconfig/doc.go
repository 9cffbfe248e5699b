// Package clientconfig adds an MCP server to the configuration files of MCP clients, and
// removes it again, without changing another byte of these files.
//
// A [Client] is a program that has such a file. [PlanInstall] and [PlanUninstall] read
// the file and return a [Change], which can be shown as a diff or written. [Apply] does
// both, and repeats them if the client writes its file at the same time.
//
// Files are edited by splicing text at offsets that a parser reports. The result is
// parsed again before it is written: if anything but the entry of the server differs,
// nothing is written, and a [ManualError] has the lines for the user to add.
package clientconfig
