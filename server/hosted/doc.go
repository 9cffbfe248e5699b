// Package hosted is the gateway of a web app with many users: their pages join by signed
// tokens, and their assistants come from other machines with OAuth access tokens.
package hosted
