#!/bin/sh
# Makes the npm packages and the MCP bundle of the programs that goreleaser has built, and puts
# what is published beside them: sh server/release/pack.sh VERSION. The bundle's format selects a
# program by operating system alone: macOS gets the universal program, and Windows that for
# amd64, which arm64 emulates.
set -eu
version=$1 dir=.cache/release dist=dist/release

fill() { # a manifest, for a platform in Node's words
  sed -e "s/VERSION/$version/g" -e "s/OS-CPU/$2-$3/; s/\"OS\"/\"$2\"/; s/\"CPU\"/\"$3\"/; s/for OS on CPU/for $2 on $3/" "server/release/manifests/$1.json"
}

mkdir -p "$dist/npm" "$dir/mcpb/server"
cp -R "$dir/publish/." "$dist/"
fill server - - > "$dist/server.json"

fill mcpb - - > "$dir/mcpb/manifest.json"
cp "$dir"/documents/* "$dir/mcpb/"
cp "$dist"/*_darwin_all/pagemcp "$dist"/pagemcp_windows_amd64*/pagemcp.exe "$dir/mcpb/server/"
node web/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js pack "$dir/mcpb" "$dist/pagemcp-$version.mcpb"

chmod 755 "$dir/package/bin/pagemcp.js"
npm pack --silent --pack-destination "$dist/npm" "./$dir/package"
for built in "$dist"/pagemcp_*_v*/; do # such as pagemcp_linux_amd64_v1
  platform=${built#*/pagemcp_} platform=${platform%_v*}
  os=${platform%_*} cpu=${platform#*_}
  test "$os" != windows || os=win32
  test "$cpu" != amd64 || cpu=x64
  folder=$dir/npm/$os-$cpu
  mkdir -p "$folder/bin"
  fill platform "$os" "$cpu" > "$folder/package.json"
  echo 'The program for one platform. Install the package `pagemcp` instead, which starts it.' > "$folder/README.md"
  cp "$dir"/documents/* "$folder/"
  cp "$built"pagemcp* "$folder/bin/"
  npm pack --silent --pack-destination "$dist/npm" "./$folder"
done
